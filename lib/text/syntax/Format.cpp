// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/Format.h"

#include "lib/text/syntax/Lexer.h"
#include "lib/text/syntax/Parser.h"

using llvm::StringRef;

namespace graphc::text {

namespace {

class Formatter {
public:
  explicit Formatter(std::vector<TextToken> tokens)
      : tokens(std::move(tokens)) {}

  std::string run();

private:
  void beginLine(const TextToken &first);
  void add(const TextToken &token);
  bool needsSpace(const TextToken &token) const;
  bool isSetting() const;

  /// True in `( )` or `[ ]`.
  bool isInside(char bracket) const {
    return !open.empty() && open.back() == bracket;
  }

  std::vector<TextToken> tokens;
  std::string text;
  std::string open; ///< brackets
  TextToken last{TokenKind::NewLine, ""};
  bool lastIsSign = false;
  bool lastIsSetting = false; ///< the last token is the `=` of a setting
  bool isLineEmpty = true;
  StringRef statement; ///< its first word
  unsigned equals = 0; ///< signs `=` of the statement, outside of brackets
};

/// A word after which an operand follows, so that `-` is a sign and a bracket
/// begins a value.
bool joinsValues(const TextToken &token) {
  return token.is(TokenKind::Name) &&
         (token.text == "return" || token.text == "in" || token.text == "and" ||
          token.text == "or" || token.text == "not" || token.text == "if" ||
          token.text == "else" || token.text == "import" ||
          token.text == "device" || token.text == "scope" ||
          token.text == "colocate");
}

/// A token that ends a value.
bool endsValue(const TextToken &token) {
  switch (token.kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::String:
  case TokenKind::Raw:
    return true;
  case TokenKind::Name:
    return !joinsValues(token);
  case TokenKind::Symbol:
    return token.text == ")" || token.text == "]" || token.text == "?";
  default:
    return false;
  }
}

/// True when the `=` that follows belongs to a setting behind a declaration.
bool Formatter::isSetting() const {
  return open.find_first_of("([") == std::string::npos &&
         (statement == "dataset" || (statement == "variable" && equals > 0));
}

bool Formatter::needsSpace(const TextToken &token) const {
  if (last.is(TokenKind::NewLine))
    return false;
  StringRef symbol = token.is(TokenKind::Symbol) ? token.text : "";
  StringRef before = last.is(TokenKind::Symbol) ? last.text : "";
  if (token.is(TokenKind::Comment))
    return true;
  if (symbol == "," || symbol == ";" || symbol == ")" || symbol == "]" ||
      symbol == ".." || before == "(" || before == "[" || before == ".." ||
      symbol == "." || before == "." || lastIsSign)
    return false;
  if (symbol == ":")
    return false;
  if (before == ":")
    return !isInside('[');
  if (symbol == "=" || before == "=")
    return !isInside('(') && !(symbol == "=" ? isSetting() : lastIsSetting);
  // A call and an index stand at what they belong to.
  if (symbol == "(" || symbol == "[")
    return !endsValue(last);
  return true;
}

void Formatter::beginLine(const TextToken &first) {
  size_t blocks = llvm::count(open, '{');
  if (first.isSymbol("}") && blocks > 0)
    --blocks;
  // What goes on within brackets is indented further.
  bool goesOn = !open.empty() && open.back() != '{';
  bool closes = first.isSymbol(")") || first.isSymbol("]");
  text.append(2 * blocks + (goesOn && !closes ? 4 : 0), ' ');
  if (!goesOn) {
    statement = first.is(TokenKind::Name) ? first.text : "";
    equals = 0;
  }
}

void Formatter::add(const TextToken &token) {
  if (isLineEmpty)
    beginLine(token);
  else if (token.is(TokenKind::Comment))
    text += "  ";
  else if (needsSpace(token))
    text += " ";
  isLineEmpty = false;
  lastIsSetting = token.isSymbol("=") && isSetting();
  text += token.is(TokenKind::Comment) ? token.text.rtrim() : token.text;
  lastIsSign = token.isSymbol("-") && !endsValue(last);
  if (token.is(TokenKind::Symbol)) {
    char bracket = token.text.front();
    if (bracket == '(' || bracket == '[' || bracket == '{')
      open += bracket;
    else if ((bracket == ')' || bracket == ']' || bracket == '}') &&
             !open.empty())
      open.pop_back();
    if (token.text == "=" && open.find_first_of("([") == std::string::npos)
      ++equals;
    // A statement begins behind these, too.
    if (token.text == ";" || token.text == "{" || token.text == "}") {
      statement = "";
      equals = 0;
    }
  } else if (statement.empty() && token.is(TokenKind::Name)) {
    statement = token.text;
  }
  last = token;
}

std::string Formatter::run() {
  unsigned emptyLines = 0;
  for (const TextToken &token : tokens) {
    if (token.is(TokenKind::End))
      break;
    if (token.is(TokenKind::NewLine)) {
      if (isLineEmpty) {
        ++emptyLines;
      } else {
        text += "\n";
        isLineEmpty = true;
        emptyLines = 0;
      }
      last = token;
      lastIsSign = false;
      continue;
    }
    bool isFirst = text.empty() || StringRef(text).ends_with("{\n");
    if (isLineEmpty && emptyLines > 0 && !isFirst && !token.isSymbol("}"))
      text += "\n";
    emptyLines = 0;
    add(token);
  }
  return std::move(text);
}

} // namespace

std::optional<std::string> formatText(StringRef source,
                                      Diagnostics &diagnostics) {
  Tree tree;
  parseTree(source, diagnostics, tree);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return Formatter(tokenize(source, diagnostics, /*keepComments=*/true)).run();
}

} // namespace graphc::text
