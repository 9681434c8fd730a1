// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trait of ops that replace some rows of their first operand.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_UPDATESROWS_H
#define GRAPHC_DIALECTS_TFIR_GATHER_UPDATESROWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace graphc::tfir {

/// Operands: the tensor, indices along its first dimension, and updates of the
/// rows there, which are combined with them one after the other. An index
/// outside changes nothing. A target may write the rows alone where the result
/// takes the place of the first operand, so the op is in a kernel of its own.
template <typename Op>
class UpdatesRows : public mlir::OpTrait::TraitBase<Op, UpdatesRows> {};

/// True for an op whose rows are the updates themselves, whatever was there.
bool replacesRows(mlir::Operation *op);

/// An element of a row after the update by `update`, as a scalar of generated
/// code. REQUIRES: the op has the trait.
mlir::Value combineElements(mlir::Operation *op, mlir::OpBuilder &builder,
                            mlir::Location loc, mlir::Value old,
                            mlir::Value update);

} // namespace graphc::tfir

#endif
