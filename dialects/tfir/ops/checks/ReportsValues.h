// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trait of ops that report to people what a value is.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CHECKS_REPORTSVALUES_H
#define GRAPHC_DIALECTS_TFIR_OPS_CHECKS_REPORTSVALUES_H

#include "mlir/IR/OpDefinition.h"

namespace graphc::tfir {

/// The op fails the step or prints, depending on a value: that is seen even if
/// nobody uses its results, so it is done where the program says, and as often.
/// A kernel cannot do it.
template <typename Op>
class ReportsValues : public mlir::OpTrait::TraitBase<Op, ReportsValues> {};

} // namespace graphc::tfir

#endif
