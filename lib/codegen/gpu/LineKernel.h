// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that reduce the rows, or the columns, of a matrix.
#ifndef GRAPHC_LIB_CODEGEN_GPU_LINEKERNEL_H
#define GRAPHC_LIB_CODEGEN_GPU_LINEKERNEL_H

#include "lib/codegen/fused/FlatPlan.h"
#include "lib/codegen/gpu/GpuKernel.h"

namespace graphc {

/// Emits the body of `kernel`. REQUIRES: kernel.begin().
LaunchShape emitLineKernel(TensorKernel &kernel, const FlatPlan &plan);

} // namespace graphc

#endif // GRAPHC_LIB_CODEGEN_GPU_LINEKERNEL_H
