// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recovery of the parser from errors.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_SKIPSTATEMENT_H
#define GRAPHC_LIB_TEXT_SYNTAX_SKIPSTATEMENT_H

#include "lib/text/syntax/Lexer.h"

#include "llvm/ADT/ArrayRef.h"

namespace graphc::text {

/// Position of the token that ends a statement with an error at `at`, within so
/// many open brackets: the end of its line, or the `}` of the block around it.
/// With open brackets it goes on behind its line, up to one that looks like a
/// statement.
size_t skipStatement(llvm::ArrayRef<TextToken> tokens, size_t at,
                     unsigned brackets);

} // namespace graphc::text

#endif
