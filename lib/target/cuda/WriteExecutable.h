// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the executable for GPUs: images and kernels of a compiled module.
#ifndef GRAPHC_LIB_TARGET_CUDA_WRITEEXECUTABLE_H
#define GRAPHC_LIB_TARGET_CUDA_WRITEEXECUTABLE_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <vector>

namespace graphc {

/// A CudaExecutable (runtime/target/cuda/format); of no bytes where no program
/// is for a GPU.
std::vector<uint8_t> writeCudaExecutable(mlir::ModuleOp module);

} // namespace graphc

#endif
