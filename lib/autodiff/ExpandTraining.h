// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From tfir.minimize to the updates of variables, and from tfir.ema to those of
// their averages.
#ifndef GRAPHC_LIB_AUTODIFF_EXPANDTRAINING_H
#define GRAPHC_LIB_AUTODIFF_EXPANDTRAINING_H

#include "lib/frontend/UniqueNames.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Variables that a graph trains, each with a value per tfir.minimize that
/// trains it: 1 in steps that update it and 0 in others; null: all steps do.
using TrainedVariables =
    llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Value, 1>>;

/// Trainable variables that some loss does not depend on, with the place of a
/// read in its graph.
using UntrainedReads = llvm::MapVector<mlir::Operation *, mlir::Location>;

/// Replaces the op by gradients, one tfir.apply per variable that the loss
/// depends on, which it adds to `trained`, the others to `untrained`, and one
/// more global step. Declares the variables that this needs, in `symbols`, too.
/// Fails after a diagnostic.
llvm::LogicalResult expandMinimize(tfir::MinimizeOp minimize,
                                   UniqueNames &names,
                                   mlir::SymbolTable &symbols,
                                   TrainedVariables &trained,
                                   UntrainedReads &untrained);

/// Replaces the op by one tfir.update_average per trained variable at the end
/// of the graph. REQUIRES: tfir-resolve-averages has run.
void expandEma(tfir::EmaOp ema, UniqueNames &names,
               const TrainedVariables &trained);

} // namespace graphc

#endif
