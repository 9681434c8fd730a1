// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of one kernel, known by what it computes.
#ifndef GRAPHC_LIB_TARGET_CPU_KERNELOBJECTS_H
#define GRAPHC_LIB_TARGET_CPU_KERNELOBJECTS_H

#include "lib/target/cache/CodeCache.h"
#include "lib/target/cpu/CompileObject.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace graphc {

/// An entry and its object files.
struct KernelObjects {
  std::string name; ///< of the entry in the module that it is of
  /// Of the entry in the objects: a hash of what it computes and how much LLVM
  /// optimizes it, so that entries of the same symbol have the same objects.
  std::string symbol;
  llvm::SmallVector<CodeCache::Code, 2> objects; ///< one per level
};

/// Compiles a module of one entry (SplitModule.h) for x86-64 levels. The entry
/// gets a name of its own unless it is shared, whose name says what it computes
/// already. A kernel of first values gets OptLevel::None whatever is asked for:
/// it runs once. Same module, same bytes, whatever its names are and whatever
/// the cache has. Errors are reported at the module. Thread-safe for different
/// modules and compilers.
mlir::FailureOr<KernelObjects>
compileKernel(mlir::ModuleOp kernel, llvm::ArrayRef<llvm::StringRef> isas,
              OptLevel optLevel, ObjectCompiler &compiler, CodeCache &cache);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_KERNELOBJECTS_H
