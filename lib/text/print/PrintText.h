// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module to its text.
#ifndef GRAPHC_LIB_TEXT_PRINT_PRINTTEXT_H
#define GRAPHC_LIB_TEXT_PRINT_PRINTTEXT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace graphc::text {

/// A text from which parseText() makes the same module: the same operations in
/// the same order, with the same attributes. An error at the operation where
/// something cannot be written, as in modules of later phases.
mlir::FailureOr<std::string> printText(mlir::ModuleOp module);

} // namespace graphc::text

#endif
