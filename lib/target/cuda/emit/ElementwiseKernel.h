// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose elements do not need each other.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_ELEMENTWISEKERNEL_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_ELEMENTWISEKERNEL_H

#include "lib/target/common/fused/FlatPlan.h"
#include "lib/target/cuda/emit/GpuKernel.h"

namespace graphc {

/// True if all results of `plan` have an element for each of the matrix.
bool isElementwise(const TensorKernel &kernel, const FlatPlan &plan);

/// Emits the body of `kernel`. REQUIRES: isElementwise, kernel.begin().
LaunchShape emitElementwiseKernel(TensorKernel &kernel, const FlatPlan &plan);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_ELEMENTWISEKERNEL_H
