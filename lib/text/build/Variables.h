// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of variables, of the module and inside of graphs.
#ifndef GRAPHC_LIB_TEXT_BUILD_VARIABLES_H
#define GRAPHC_LIB_TEXT_BUILD_VARIABLES_H

#include "lib/text/build/Evaluator.h"

#include "llvm/ADT/StringSet.h"

namespace graphc::text {

/// Declares the variable, or the array of them, by `builder`, unless another
/// graph has done so. Its symbol is the name behind `prefix`. `declared` has
/// the symbols of the graph that declares; null for the module.
Item declareVariable(BuildState &session, Evaluator &evaluator,
                     const TextStatement &statement, llvm::StringRef prefix,
                     mlir::OpBuilder &builder, llvm::StringSet<> *declared);

/// Sets `name=value` behind a declaration as attributes of its operation.
/// False after an error.
bool addSettings(BuildState &session, Evaluator &evaluator,
                 llvm::ArrayRef<Argument> settings,
                 const OpSignature &signature, mlir::OperationState &state);

/// Creates a declaration and verifies it; an error is shown in words of the
/// text. False after one.
bool declare(BuildState &session, mlir::OpBuilder &builder,
             mlir::OperationState &state);

} // namespace graphc::text

#endif
