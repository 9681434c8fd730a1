// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Traits of ops that passes ask for; TfirProperties.td describes them.
#ifndef GRAPHC_DIALECTS_TFIR_TRAITS_H
#define GRAPHC_DIALECTS_TFIR_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace graphc::tfir {

/// Copied to wherever its results are used, and never sent.
template <typename Op>
class Rematerializable : public mlir::OpTrait::TraitBase<Op, Rematerializable> {
};

/// Executed by the runtime between kernels.
template <typename Op>
class KernelBarrier : public mlir::OpTrait::TraitBase<Op, KernelBarrier> {};

/// Moves values into a partition or out of it, without a kernel.
template <typename Op>
class MovesValues : public mlir::OpTrait::TraitBase<Op, MovesValues> {};

/// Makes NaN or infinity of numbers that are neither large nor small.
template <typename Op>
class MakesNonFinite : public mlir::OpTrait::TraitBase<Op, MakesNonFinite> {};

/// Moves elements and computes nothing with them.
template <typename Op>
class MovesElements : public mlir::OpTrait::TraitBase<Op, MovesElements> {};

/// Replaced by differentiation.
template <typename Op>
class ReplacedByGradients
    : public mlir::OpTrait::TraitBase<Op, ReplacedByGradients> {};

} // namespace graphc::tfir

#endif
