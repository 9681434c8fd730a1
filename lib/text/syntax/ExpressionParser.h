// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access to tokens, and the grammar of expressions and types.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_EXPRESSIONPARSER_H
#define GRAPHC_LIB_TEXT_SYNTAX_EXPRESSIONPARSER_H

#include "lib/text/syntax/Diagnostics.h"
#include "lib/text/syntax/Lexer.h"
#include "lib/text/syntax/Tree.h"

#include "llvm/ADT/SmallVector.h"

namespace graphc::text {

/// Parses expressions. After an error a parser skips to the end of the
/// statement; until then, every expectation fails silently.
class ExpressionParser {
public:
  ExpressionParser(std::vector<TextToken> tokens, Diagnostics &diagnostics,
                   Tree &tree)
      : tokens(std::move(tokens)), diagnostics(diagnostics), tree(tree) {}

protected:
  const TextToken &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  const char *place() const { return peek().text.data(); }
  void advance() {
    if (at + 1 < tokens.size())
      ++at;
    if (inBrackets > 0)
      skipNewLines();
  }
  void skipNewLines() {
    while (peek().is(TokenKind::NewLine))
      ++at;
  }
  bool take(llvm::StringRef symbol);
  /// Takes a symbol, or reports that it is missing behind `after`.
  bool expect(llvm::StringRef symbol, llvm::StringRef after);
  /// Takes a name; empty after an error. `what` is "the name of a graph".
  llvm::StringRef expectName(llvm::StringRef what);
  /// The same, or a string with its quotes, for names that are none.
  llvm::StringRef expectNameOrString(llvm::StringRef what);
  /// Reports an error at the next token, unless one was reported here already.
  void fail(const llvm::Twine &message);
  /// The next token as errors show it.
  std::string found() const;

  /// Opens a bracket: line ends inside mean nothing.
  void open() {
    ++inBrackets;
    advance();
  }
  bool close(llvm::StringRef symbol, const char *opened);

  Expr *parseExpr();
  TypeExpr *parseType();
  /// `name=value` pairs and, if they are allowed, plain values up to the
  /// bracket.
  llvm::ArrayRef<Argument> parseArguments();
  /// `a`, `a: f32[2]`, separated by commas.
  Declared parseDeclared(llvm::StringRef what);

  Expr *make(ExprKind kind, const char *place, llvm::StringRef text,
             llvm::ArrayRef<Expr *> operands = {});

  std::vector<TextToken> tokens;
  Diagnostics &diagnostics;
  Tree &tree;
  size_t at = 0;
  unsigned inBrackets = 0;
  bool failed = false;

private:
  Expr *parseBinary(unsigned level);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePostfix();
  Expr *parsePrimary();
  llvm::StringRef takeCalled();
  Expr *parseList();
  Expr *parseSubscript(Expr *base);
  Index parseIndex();
  Expr *errorExpr() { return make(ExprKind::Error, place(), ""); }

  unsigned nesting = 0;
};

} // namespace graphc::text

#endif
