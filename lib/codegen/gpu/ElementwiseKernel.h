// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose elements do not need each other.
#ifndef GRAPHC_LIB_CODEGEN_GPU_ELEMENTWISEKERNEL_H
#define GRAPHC_LIB_CODEGEN_GPU_ELEMENTWISEKERNEL_H

#include "lib/codegen/fused/FlatPlan.h"
#include "lib/codegen/gpu/GpuKernel.h"

namespace graphc {

/// True if all results of `plan` have an element for each of the matrix.
bool isElementwise(const TensorKernel &kernel, const FlatPlan &plan);

/// Emits the body of `kernel`. REQUIRES: isElementwise, kernel.begin().
LaunchShape emitElementwiseKernel(TensorKernel &kernel, const FlatPlan &plan);

} // namespace graphc

#endif // GRAPHC_LIB_CODEGEN_GPU_ELEMENTWISEKERNEL_H
