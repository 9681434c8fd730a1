// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a text to the operations of a module.
#ifndef GRAPHC_LIB_TEXT_PARSETEXT_H
#define GRAPHC_LIB_TEXT_PARSETEXT_H

#include "lib/text/Lexer.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <utility>
#include <vector>

namespace graphc::text {

/// Builds what `source` (isText() holds) declares at the end of `top`, the body
/// of a module. All errors of the text are reported, at places of `file`; the
/// operations in `top` are good only without one. Not verified are the uses of
/// symbols. Single-threaded, as MLIR's parser is.
llvm::LogicalResult parseText(llvm::StringRef source, llvm::StringRef file,
                              mlir::Block *top, mlir::MLIRContext &context);

/// Sets constants for all texts that this process parses: name and value, as
/// flags have them.
void setDefinitions(std::vector<std::pair<std::string, std::string>> given);

} // namespace graphc::text

#endif
