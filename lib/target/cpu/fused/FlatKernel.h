// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that read one matrix once, in vectors of 16 elements.
#ifndef GRAPHC_LIB_TARGET_CPU_FUSED_FLATKERNEL_H
#define GRAPHC_LIB_TARGET_CPU_FUSED_FLATKERNEL_H

#include "lib/target/common/fused/FlatPlan.h"

namespace graphc {

/// Emits the body of `kernel` by `plan` and finishes it. Four vectors are in
/// flight at a time; which element goes into which lane of which accumulator is
/// fixed, so the bits are the same on every CPU level.
void emitFlatKernel(TensorKernel &kernel, const FlatPlan &plan);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_FUSED_FLATKERNEL_H
