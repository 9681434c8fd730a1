// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifies programs by the checks that a loader makes of a file.
#ifndef GRAPHC_LIB_PIPELINE_VERIFYPLAN_H
#define GRAPHC_LIB_PIPELINE_VERIFYPLAN_H

#include "dialects/exec/Exec.h"

namespace graphc {

/// Checks the programs of one graph (runtime/format/check/PlanFinding.h): that
/// there is no deadlock, that slots that are in use lie apart, and that an
/// all_reduce can be done with and without a library. The first of several
/// gives their order. Fails, after an error, at the instruction that is wrong.
/// REQUIRES: edges have two endpoints and are numbered from 0 without gaps.
mlir::LogicalResult verifyPlan(llvm::ArrayRef<exec::ProgramOp> programs);

} // namespace graphc

#endif
