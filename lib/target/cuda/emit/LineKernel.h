// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that reduce the rows, or the columns, of a matrix.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_LINEKERNEL_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_LINEKERNEL_H

#include "lib/target/common/fused/FlatPlan.h"
#include "lib/target/cuda/emit/GpuKernel.h"

namespace graphc {

/// Emits the body of `kernel`. REQUIRES: kernel.begin().
LaunchShape emitLineKernel(TensorKernel &kernel, const FlatPlan &plan);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_LINEKERNEL_H
