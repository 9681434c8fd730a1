// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State and result of an optimizer's step.
#ifndef GRAPHC_DIALECTS_TFIR_TRAINING_OPTIMIZERUPDATE_H
#define GRAPHC_DIALECTS_TFIR_TRAINING_OPTIMIZERUPDATE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace graphc::tfir {

struct Arithmetic;

/// Values of a variable and its slots after a step.
struct OptimizerUpdate {
  mlir::Value variable;
  llvm::SmallVector<mlir::Value, 2> slots;
};

/// Power of a factor, as state that all variables of an optimizer share: it
/// starts as the factor and is multiplied by it in each step.
struct SharedPower {
  llvm::StringRef name;
  double factor;
};

/// The type of such a power: f64, since 1 - 0.999^t loses four of f32's seven
/// digits in the first steps.
mlir::RankedTensorType sharedPowerType(mlir::MLIRContext *context);

} // namespace graphc::tfir

#endif
