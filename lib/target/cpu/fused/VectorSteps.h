// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors per step of a flat kernel.
#ifndef GRAPHC_LIB_TARGET_CPU_FUSED_VECTORSTEPS_H
#define GRAPHC_LIB_TARGET_CPU_FUSED_VECTORSTEPS_H

#include "lib/target/common/fused/FlatPlan.h"

namespace graphc {

/// True if a step of `kernel` has one vector, false if it has a block of four.
bool stepsByVector(const FlatPlan &plan, mlir::func::FuncOp kernel);

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CPU_FUSED_VECTORSTEPS_H
