// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between gradients and optimizer: loss scale, accumulation, L2, clipping.
#ifndef GRAPHC_LIB_AUTODIFF_GRADIENTCHANGES_H
#define GRAPHC_LIB_AUTODIFF_GRADIENTCHANGES_H

#include "dialects/tfir/training/Arithmetic.h"
#include "lib/autodiff/DerivedOps.h"
#include "llvm/ADT/MapVector.h"

namespace graphc {

/// Builds the changes that a tfir.minimize with changesGradients() asks for:
/// the gradients go through variables of one step (`scratch`), in whose
/// assignments replication takes their mean; what follows works on the mean.
/// Not thread-safe.
class GradientChanges {
public:
  using Gradients = llvm::MapVector<mlir::Operation *, mlir::Value>;

  GradientChanges(tfir::MinimizeOp minimize, mlir::SymbolTable &symbols,
                  DerivedOps &derived, mlir::OpBuilder &builder);

  /// The value to differentiate. Call first.
  mlir::Value buildLoss();

  /// Replaces the gradients by those for the optimizer.
  void change(Gradients &gradients);

  /// 1 in a step that updates variables, else 0: an f32 scalar. Null: always.
  mlir::Value when() const { return update; }

private:
  void combine(Gradients &gradients);
  void unscale(Gradients &gradients);
  mlir::Value allFinite(const Gradients &gradients);
  void adjustScale(mlir::Value isFinite);
  void accumulate(Gradients &gradients, mlir::Value isFinite);
  mlir::Value countMicroBatch(mlir::Value isFinite);
  void addDecay(Gradients &gradients);
  void clipEach(Gradients &gradients);
  void clipTogether(Gradients &gradients);
  void enter(mlir::Operation *variable, llvm::StringRef scope);
  void enterShared(const Gradients &gradients, llvm::StringRef scope);
  mlir::Value read(tfir::VariableOp variable);
  void assign(tfir::VariableOp variable, mlir::Value value);
  bool isDynamic() const { return scaleVariable != nullptr; }

  tfir::MinimizeOp minimize;
  mlir::SymbolTable &symbols;
  DerivedOps &derived;
  tfir::Arithmetic a;
  tfir::VariableOp scaleVariable, goodSteps;
  mlir::Value scale, update;
};

/// True for a variable that `decay_variables` chooses.
bool decays(tfir::MinimizeOp minimize, tfir::VariableOp variable);

} // namespace graphc

#endif
