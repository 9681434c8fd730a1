// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attribute `tfir.recompute` of the ops that came from a tfir.recompute: a
// number that those of one body have in common. Only the compiler writes it,
// between phase 'parsed' and differentiation.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_CONTROL_RECOMPUTEATTR_H
#define GRAPHC_DIALECTS_TFIR_OPS_CONTROL_RECOMPUTEATTR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace graphc::tfir {

/// Number of the body whose ops are computed again; nothing for other ops.
std::optional<int64_t> getRecomputed(mlir::Operation *op);
/// Nothing removes it.
void setRecomputed(mlir::Operation *op, std::optional<int64_t> body);

/// True for the name of the attribute.
bool isRecomputeAttr(llvm::StringRef name);

/// Checks that the attribute has the right form and owner.
llvm::LogicalResult verifyRecomputeAttr(mlir::Operation *op,
                                        mlir::NamedAttribute attr);

} // namespace graphc::tfir

#endif
