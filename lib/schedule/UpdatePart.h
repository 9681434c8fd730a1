// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a worker's instance, every program ends in what updates variables.
#ifndef GRAPHC_LIB_SCHEDULE_UPDATEPART_H
#define GRAPHC_LIB_SCHEDULE_UPDATEPART_H

#include "lib/schedule/OrderStep.h"

namespace graphc {

/// The ops that only the end of a step needs, in programs that assign
/// variables: no send waits for them.
llvm::DenseSet<mlir::Operation *> findUpdateParts(const StepGraph &graph);

/// Moves them after all others, which keeps every order between dependent
/// items.
void moveUpdatesToEnd(const llvm::DenseSet<mlir::Operation *> &updates,
                      std::vector<StepItem> &items);

} // namespace graphc

#endif
