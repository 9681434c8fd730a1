// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of a source before it is parsed.
#ifndef GRAPHC_LIB_FRONTEND_CHECKTEXT_H
#define GRAPHC_LIB_FRONTEND_CHECKTEXT_H

#include "mlir/IR/MLIRContext.h"

namespace graphc {

/// The deepest that brackets of a source may stand in each other. The parser
/// and what walks its ops need a frame of the stack for each.
inline constexpr unsigned kMaxNesting = 256;

/// Fails with an error when the text of `file` is a compiled model or no text at
/// all, or nests deeper than kMaxNesting.
llvm::LogicalResult checkText(llvm::StringRef text, llvm::StringRef file,
                              mlir::MLIRContext &context);

} // namespace graphc

#endif
