// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that ops of all families share.
#ifndef GRAPHC_DIALECTS_TFIR_VERIFY_H
#define GRAPHC_DIALECTS_TFIR_VERIFY_H

#include "mlir/IR/Operation.h"

namespace graphc::tfir {

/// The most dimensions that a tensor has in a compiled model.
inline constexpr int64_t kMaxRank = 32;

/// Fails with an error on `op`, of which `what` is a part, when the tensor has
/// too many dimensions.
llvm::LogicalResult verifyRank(mlir::Operation *op, const llvm::Twine &what,
                               mlir::Type type);

/// Fails with an error on `op` when `type`, of its part `what`, is no tensor of
/// a rank and of elements that the language has.
llvm::LogicalResult verifyTensor(mlir::Operation *op, const llvm::Twine &what,
                                 mlir::Type type);

/// Fails for an op that stands among the variables and graphs of the module.
llvm::LogicalResult verifyInGraph(mlir::Operation *op);

} // namespace graphc::tfir

#endif
