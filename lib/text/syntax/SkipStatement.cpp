// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/SkipStatement.h"

using llvm::ArrayRef;

namespace graphc::text {

namespace {

bool opens(const TextToken &token) {
  return token.isSymbol("(") || token.isSymbol("[");
}
bool closes(const TextToken &token) {
  return token.isSymbol(")") || token.isSymbol("]");
}
bool assigns(const TextToken &token) {
  return token.isSymbol("=") || token.isSymbol(":=") || token.isSymbol("+=") ||
         token.isSymbol("-=");
}

/// True when the token is the first of its line and that line looks like a
/// statement, though a bracket is open before it: it begins with a keyword, or
/// assigns and closes only brackets of its own. `axis=1)` and `axis=1,` go on
/// with a call.
bool beginsStatement(ArrayRef<TextToken> tokens, size_t at) {
  if (at == 0 || !tokens[at - 1].is(TokenKind::NewLine) ||
      !tokens[at].is(TokenKind::Name))
    return false;
  if (isKeyword(tokens[at].text))
    return isStatementKeyword(tokens[at].text);
  bool hasAssigned = false;
  unsigned depth = 0;
  for (; !tokens[at].is(TokenKind::NewLine); ++at)
    if (opens(tokens[at]))
      ++depth;
    else if (closes(tokens[at]) && depth-- == 0)
      return false;
    else if (depth == 0 && assigns(tokens[at]))
      hasAssigned = true;
  return hasAssigned && !tokens[at - 1].isSymbol(",");
}

} // namespace

size_t skipStatement(ArrayRef<TextToken> tokens, size_t at, unsigned brackets) {
  unsigned blocks = 0;
  for (; !tokens[at].is(TokenKind::End); ++at) {
    const TextToken &token = tokens[at];
    if (blocks == 0 && (token.isSymbol("}") ||
                        (brackets == 0 && token.is(TokenKind::NewLine)) ||
                        (brackets > 0 && beginsStatement(tokens, at))))
      return at;
    if (token.isSymbol("{"))
      ++blocks;
    else if (token.isSymbol("}"))
      --blocks;
    else if (opens(token))
      ++brackets;
    else if (closes(token) && brackets > 0)
      --brackets;
  }
  return at;
}

} // namespace graphc::text
