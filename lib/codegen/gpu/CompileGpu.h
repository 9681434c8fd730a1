// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From functions on tensors to PTX.
#ifndef GRAPHC_LIB_CODEGEN_GPU_COMPILEGPU_H
#define GRAPHC_LIB_CODEGEN_GPU_COMPILEGPU_H

#include "lib/codegen/gpu/GpuKernel.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// The kernels of one GPU architecture.
struct GpuImage {
  std::string arch;               ///< "sm_80"
  std::string ptx;                ///< text, as the driver takes it
  std::vector<GpuKernel> kernels; ///< in the order asked for
};

/// Compiles the functions of `kernels`, which are as emitFusedKernel wants
/// them, for `arch`, "sm_80" or any later one that LLVM knows. Element i of the
/// image's kernels is that of the function order[i]. An entry is
///   .visible .entry NAME(.param .u64 buffer0, ..., [.param .u64 scratch])
/// whose pointers are aligned to 64 bytes. Same input, same text. The module
/// holds the LLVM dialect afterwards. Errors are reported at the op, or at the
/// module if they are about the architecture.
mlir::FailureOr<GpuImage> compileGpu(mlir::ModuleOp kernels,
                                     llvm::StringRef arch,
                                     llvm::ArrayRef<llvm::StringRef> order);

} // namespace graphc

#endif // GRAPHC_LIB_CODEGEN_GPU_COMPILEGPU_H
