// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From functions on tensors to PTX.
#ifndef GRAPHC_LIB_TARGET_CUDA_COMPILEGPU_H
#define GRAPHC_LIB_TARGET_CUDA_COMPILEGPU_H

#include "lib/target/cache/CodeCache.h"
#include "lib/target/cuda/emit/GpuKernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// The code of one GPU architecture.
struct GpuImage {
  std::string arch; ///< "sm_80"
  std::string ptx;  ///< text, as the driver takes it
};

/// The same kernels for some architectures.
struct GpuCode {
  std::vector<GpuKernel> kernels; ///< in the order asked for
  std::vector<GpuImage> images;   ///< in the order of the architectures
};

/// Compiles the functions of `kernels`, which are as emitFusedKernel wants
/// them, for `archs`, "sm_80" or any later ones that LLVM knows, each on a
/// thread of its own. Element i of the kernels is that of the function
/// order[i]. An entry is
///   .visible .entry NAME(.param .u64 buffer0, ..., [.param .u64 scratch])
/// whose pointers are aligned to 64 bytes. Same input, same text, whatever the
/// cache has. The module holds the LLVM dialect afterwards. Errors are reported
/// at the op, or at the module if they are about an architecture.
mlir::FailureOr<GpuCode> compileGpu(mlir::ModuleOp kernels,
                                    llvm::ArrayRef<llvm::StringRef> archs,
                                    llvm::ArrayRef<llvm::StringRef> order,
                                    CodeCache &cache);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_COMPILEGPU_H
