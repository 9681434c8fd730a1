// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cures for errors of MLIR's parser, which knows the language but not its
// users.
#ifndef GRAPHC_LIB_PIPELINE_CURES_H
#define GRAPHC_LIB_PIPELINE_CURES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace graphc {

/// Adds a note to errors of these kinds:
///
/// - an op that there is not: which one may be meant, or what TensorFlow's op
/// of
///   that name is called here;
/// - an attribute of another type: how to write it.
///
/// Succeeds when it has reported the error itself, in other words.
llvm::LogicalResult addCure(mlir::MLIRContext &context,
                            mlir::Diagnostic &diagnostic);

} // namespace graphc

#endif
