// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hints for errors of MLIR's parser, which knows the language but not its
// users.
#ifndef GRAPHC_LIB_PIPELINE_ERRORHINTS_H
#define GRAPHC_LIB_PIPELINE_ERRORHINTS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace graphc {

/// Adds a note to errors of these kinds:
///
/// - an op that there is not: which one may be meant, or the name that
///   TensorFlow's op has here;
/// - an attribute of another type: how to write it.
///
/// Succeeds when it has reported the error itself, in other words.
llvm::LogicalResult addHint(mlir::MLIRContext &context,
                            mlir::Diagnostic &diagnostic);

} // namespace graphc

#endif
