// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parser of the text language: docs/language.md has the grammar.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_PARSER_H
#define GRAPHC_LIB_TEXT_SYNTAX_PARSER_H

#include "lib/text/syntax/Diagnostics.h"
#include "lib/text/syntax/Tree.h"

namespace graphc::text {

/// Parses a source into a tree. Errors go to `diagnostics`; what stands around
/// them is in the tree. The source must be known to `diagnostics`.
/// In the library, operands of funcs may have values, `k = 5`, for calls
/// without them.
void parseTree(llvm::StringRef source, Diagnostics &diagnostics, Tree &tree,
               bool isLibrary = false);

} // namespace graphc::text

#endif
