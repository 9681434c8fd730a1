// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and devices of the ops that the compiler adds to a graph.
#ifndef GRAPHC_LIB_AUTODIFF_DERIVEDOPS_H
#define GRAPHC_LIB_AUTODIFF_DERIVEDOPS_H

#include "lib/frontend/UniqueNames.h"

#include <optional>

namespace graphc {

/// Listens to a builder and gives each new op a unique name below a scope, and
/// the device and colocation of the op that it is derived from; of a pipeline,
/// the way back of that op's stage. Not thread-safe.
class DerivedOps : public mlir::OpBuilder::Listener {
public:
  explicit DerivedOps(UniqueNames &names) : names(names) {}

  /// New ops are called `scope/Kind` and share the place of `origin`, if any.
  void enterScope(const llvm::Twine &scope, mlir::Operation *origin);

  /// New ops are called `scope/Kind` and stand beside the variable.
  void enterVariable(const llvm::Twine &scope, tfir::VariableOp variable);

  /// New ops add up parts of the variable's gradient: where all parts are asked
  /// to be, so that their sum alone travels, else beside the variable, so that
  /// each part travels once.
  void enterSum(const llvm::Twine &scope, mlir::ValueRange parts,
                tfir::VariableOp variable);

  /// The next new op is called `name`.
  void nameNext(const llvm::Twine &name) { next = name.str(); }

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;

private:
  UniqueNames &names;
  std::string scope, next;
  tfir::DeviceAttr device;
  mlir::Attribute colocation; ///< a name or a list of names
  std::optional<int64_t> slot;
};

/// The name of an op, or that of its kind.
std::string nameOf(mlir::Operation *op);

} // namespace graphc

#endif
