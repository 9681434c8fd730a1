// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trait of ops that replace some rows of their first operand.
#ifndef GRAPHC_DIALECTS_TFIR_GATHER_UPDATESROWS_H
#define GRAPHC_DIALECTS_TFIR_GATHER_UPDATESROWS_H

#include "mlir/IR/OpDefinition.h"

namespace graphc::tfir {

/// Operands: the tensor, indices along its first dimension, and the rows that
/// are put there. An index outside changes nothing; of equal ones the last
/// counts. A target may write the rows alone where the result takes the place
/// of the first operand, so the op is in a kernel of its own.
template <typename Op>
class UpdatesRows : public mlir::OpTrait::TraitBase<Op, UpdatesRows> {};

} // namespace graphc::tfir

#endif
