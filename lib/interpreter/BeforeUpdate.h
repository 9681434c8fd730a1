// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of what tfir.minimize does between gradients and optimizer.
#ifndef GRAPHC_LIB_INTERPRETER_BEFOREUPDATE_H
#define GRAPHC_LIB_INTERPRETER_BEFOREUPDATE_H

#include "lib/interpreter/Frame.h"

#include "llvm/ADT/MapVector.h"

namespace graphc::interpreter {

/// By the name of the variable.
using Gradients = llvm::MapVector<mlir::StringAttr, Tensor>;

// State of a training beside variables and their slots.
inline constexpr llvm::StringLiteral kAccumulatedSteps = "accumulated_steps";
inline constexpr llvm::StringLiteral kAccumulator = "GradientAccumulator";
inline constexpr llvm::StringLiteral kGoodSteps = "good_steps";
inline constexpr llvm::StringLiteral kLossScale = "current_loss_scale";

/// Replaces the gradients by those for the optimizer; false in a step that
/// updates no variable.
bool changeGradients(tfir::MinimizeOp op, Frame &frame, Gradients &gradients);

/// True for a variable that `decay_variables` chooses.
bool decays(tfir::MinimizeOp op, mlir::StringAttr variable);

} // namespace graphc::interpreter

#endif
