// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module of kernels to machine code.
#ifndef GRAPHC_LIB_TARGET_CPU_COMPILECPU_H
#define GRAPHC_LIB_TARGET_CPU_COMPILECPU_H

#include "graphc/Choices.h"
#include "lib/target/cache/CodeCache.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc {

/// The machine code of all kernels for one x86-64 level.
struct CpuImage {
  std::string isa;               ///< "x86-64-v3" or "x86-64-v4"
  std::vector<char> code;        ///< position independent, without relocations
  std::vector<uint64_t> entries; ///< offset in `code` of kernel i's entry
};

/// Kernels for one level: those of modules that it shares with others, and
/// those that are written for it. No two modules have a kernel of the same
/// name.
struct LevelKernels {
  llvm::StringRef isa;
  llvm::SmallVector<mlir::ModuleOp, 2> modules;
};

/// Compiles the kernels of each level, func.funcs of the form
///   @name(buffers: memref..., scratch: memref, begin: index, end: index),
/// on as many threads as there are cores, and returns an image per level. Entry
/// i, that of the kernel named kernelOrder[i], is
///   void entry(void *const *buffers, void *scratch, int64_t, int64_t).
/// Same input, same bytes, whatever the cache has. The modules stay as they
/// are. Errors are reported at the op, or at the first module if the linker
/// finds them.
mlir::FailureOr<llvm::SmallVector<CpuImage>>
compileCpu(llvm::ArrayRef<LevelKernels> levels,
           llvm::ArrayRef<llvm::StringRef> kernelOrder, OptLevel optLevel,
           CodeCache &cache);

/// The same kernels for several levels, without a cache.
mlir::FailureOr<llvm::SmallVector<CpuImage>>
compileCpu(mlir::ModuleOp kernels, llvm::ArrayRef<llvm::StringRef> isas,
           llvm::ArrayRef<llvm::StringRef> kernelOrder);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_COMPILECPU_H
