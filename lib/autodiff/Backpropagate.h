// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse accumulation over one block.
#ifndef GRAPHC_LIB_AUTODIFF_BACKPROPAGATE_H
#define GRAPHC_LIB_AUTODIFF_BACKPROPAGATE_H

#include "lib/autodiff/DerivedOps.h"

namespace graphc {

/// The derivative of the sum of y's elements by each of `xs`; null where y does
/// not depend on it. Builds ops before `at`, after which nothing is looked at,
/// named `gradients/<op>_grad/...`. Fails after an error on the first op on the
/// way that has no gradient.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
backpropagate(mlir::Value y, llvm::ArrayRef<mlir::Value> xs,
              mlir::Operation *at, UniqueNames &names);

} // namespace graphc

#endif
