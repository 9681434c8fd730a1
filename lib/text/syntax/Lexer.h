// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of the text language.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_LEXER_H
#define GRAPHC_LIB_TEXT_SYNTAX_LEXER_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace graphc::text {

class Diagnostics;

enum class TokenKind : unsigned char {
  Name,    ///< also keywords, which the parser knows
  Integer, ///< 12, 0x7f
  Float,   ///< 0.5, 1e-3
  String,  ///< with its quotes
  Raw,     ///< MLIR's form of an attribute, with its backquotes
  Symbol,  ///< operators and brackets
  NewLine,
  Comment, ///< from # to the end of the line; only where they are asked for
  Error,   ///< reported
  End,
};

struct TextToken {
  TokenKind kind;
  llvm::StringRef text; ///< lies in the source

  bool is(TokenKind k) const { return kind == k; }
  bool isSymbol(llvm::StringRef s) const {
    return kind == TokenKind::Symbol && text == s;
  }
  bool isName(llvm::StringRef s) const {
    return kind == TokenKind::Name && text == s;
  }
};

/// Divides a source into tokens, the last of which is End. Errors go to
/// `diagnostics`; each leaves a token of kind Error.
std::vector<TextToken> tokenize(llvm::StringRef source,
                                Diagnostics &diagnostics,
                                bool keepComments = false);

/// True for a name that can be written without quotes and is no keyword.
bool isPlainName(llvm::StringRef name);

/// True for the words that begin or join statements.
bool isKeyword(llvm::StringRef word);

/// True for the keywords that begin statements.
bool isStatementKeyword(llvm::StringRef word);

/// The characters of a string token, without quotes and escapes.
std::string unescape(llvm::StringRef token);

/// The name that a token stands for: itself, or what is in its quotes.
std::string nameIn(llvm::StringRef token);

/// A name as a text has it: in quotes where it is not plain.
std::string printName(llvm::StringRef name);

/// A string token with the characters of `text`, its braces doubled.
std::string quote(llvm::StringRef text);

/// The version that a source in this language has: after comments its first
/// words are `tfir` and a number. Empty for other sources.
llvm::StringRef versionOf(llvm::StringRef source);

/// True for a source in this language, of whatever version.
inline bool isText(llvm::StringRef source) {
  return !versionOf(source).empty();
}

} // namespace graphc::text

#endif
