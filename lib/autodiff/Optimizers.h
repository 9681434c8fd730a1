// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specifics of each optimizer: its name, its state, its formula.
#ifndef GRAPHC_LIB_AUTODIFF_OPTIMIZERS_H
#define GRAPHC_LIB_AUTODIFF_OPTIMIZERS_H

#include "lib/autodiff/Arithmetic.h"

namespace graphc {

/// TensorFlow's name, as in `w/Momentum`.
llvm::StringRef optimizerName(mlir::Attribute optimizer);

/// The rate: a number as f64 attribute, or a schedule.
mlir::Attribute learningRate(mlir::Attribute optimizer);

/// With what each slot of a variable starts.
llvm::SmallVector<double> slotValues(mlir::Attribute optimizer);

/// The factors whose powers are state that all variables share; for Adam only.
llvm::SmallVector<std::pair<std::string, double>>
sharedPowers(mlir::Attribute optimizer);

/// The type of such a power: f64, since 1 - 0.999^t loses four of f32's seven
/// digits in the first steps.
mlir::RankedTensorType powerType(mlir::MLIRContext *context);

/// The rate as the formula needs it, a value that all variables share. `powers`
/// are the values of sharedPowers.
mlir::Value effectiveRate(Arithmetic &a, mlir::Attribute optimizer,
                          mlir::Value rate, mlir::ValueRange powers);

/// Values of a variable and its slots after a step.
struct Update {
  mlir::Value variable;
  llvm::SmallVector<mlir::Value, 2> slots;
};

/// One step with gradient `g` and the effective rate.
Update buildUpdate(Arithmetic &a, mlir::Attribute optimizer, mlir::Value w,
                   mlir::Value g, mlir::Value rate, mlir::ValueRange slots);

} // namespace graphc

#endif
