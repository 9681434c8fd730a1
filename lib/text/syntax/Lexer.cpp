// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/Lexer.h"

#include "lib/text/syntax/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace graphc::text {

namespace {

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The source behind the mark of UTF-8 that some editors begin a file with.
StringRef withoutMark(StringRef source) {
  source.consume_front("\xEF\xBB\xBF");
  return source;
}

class Lexer {
public:
  Lexer(StringRef source, Diagnostics &diagnostics, bool keepComments)
      : source(source), diagnostics(diagnostics), keepComments(keepComments),
        at(withoutMark(source).data() - source.data()) {
    tokens.reserve(source.size() / 4);
  }

  std::vector<TextToken> run();

private:
  void lexToken();
  void lexNumber();
  void lexString(char quote, TokenKind kind, StringRef what);
  void lexSymbol();

  char peek(size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }
  void push(TokenKind kind, size_t begin) {
    tokens.push_back({kind, source.slice(begin, at)});
  }
  template <typename Predicate> void skip(Predicate predicate) {
    while (at < source.size() && predicate(source[at]))
      ++at;
  }

  StringRef source;
  Diagnostics &diagnostics;
  bool keepComments;
  size_t at;
  std::vector<TextToken> tokens;
};

std::vector<TextToken> Lexer::run() {
  while (at < source.size())
    lexToken();
  tokens.push_back({TokenKind::NewLine, source.substr(at, 0)});
  tokens.push_back({TokenKind::End, source.substr(at, 0)});
  return std::move(tokens);
}

void Lexer::lexToken() {
  size_t begin = at;
  char c = source[at];
  if (c == ' ' || c == '\t' || c == '\r') {
    ++at;
  } else if (c == '\n') {
    ++at;
    push(TokenKind::NewLine, begin);
  } else if (c == '#') {
    skip([](char c) { return c != '\n'; });
    if (keepComments)
      push(TokenKind::Comment, begin);
  } else if (isNameStart(c)) {
    skip(isNameCharacter);
    push(TokenKind::Name, begin);
  } else if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1)))) {
    lexNumber();
  } else if (c == '"') {
    lexString('"', TokenKind::String, "string");
  } else if (c == '`') {
    lexString('`', TokenKind::Raw, "attribute");
  } else {
    lexSymbol();
  }
}

void Lexer::lexNumber() {
  size_t begin = at;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    at += 2;
    skip(llvm::isHexDigit);
    push(TokenKind::Integer, begin);
    return;
  }
  TokenKind kind = TokenKind::Integer;
  skip([](char c) { return llvm::isDigit(c); });
  // 0..12 is a range.
  if (peek() == '.' && peek(1) != '.') {
    kind = TokenKind::Float;
    ++at;
    skip([](char c) { return llvm::isDigit(c); });
  }
  bool hasSign = peek(1) == '+' || peek(1) == '-';
  if ((peek() == 'e' || peek() == 'E') &&
      llvm::isDigit(peek(hasSign ? 2 : 1))) {
    kind = TokenKind::Float;
    at += hasSign ? 2 : 1;
    skip([](char c) { return llvm::isDigit(c); });
  }
  push(kind, begin);
}

void Lexer::lexString(char quote, TokenKind kind, StringRef what) {
  size_t begin = at++;
  while (at < source.size() && source[at] != quote && source[at] != '\n')
    at += source[at] == '\\' && kind == TokenKind::String ? 2 : 1;
  at = std::min(at, source.size());
  if (peek() == quote) {
    ++at;
    push(kind, begin);
    return;
  }
  diagnostics.error(source.data() + begin)
      << "the " << what << " that begins here has no end in its line; close it "
      << "with " << quote;
  push(TokenKind::Error, begin);
}

void Lexer::lexSymbol() {
  static constexpr llvm::StringLiteral kSymbols[] = {
      "...", "..", "->", ":=", "+=", "-=", "*=", "/=", "==", "!=", "<=", ">=",
      "//",  "**", "+",  "-",  "*",  "/",  "%",  "@",  "<",  ">",  "=",  "(",
      ")",   "[",  "]",  "{",  "}",  ",",  ":",  ";",  "?",  "."};
  StringRef rest = source.drop_front(at);
  size_t begin = at;
  for (StringRef symbol : kSymbols)
    if (rest.starts_with(symbol)) {
      at += symbol.size();
      push(TokenKind::Symbol, begin);
      return;
    }
  // A character of UTF-8 is one error, and so is an operator of C.
  at += rest.starts_with("&&") || rest.starts_with("||") ? 2 : 1;
  skip([](char c) { return (c & 0xc0) == 0x80; });
  std::string shown = llvm::isPrint(rest[0]) || (rest[0] & 0x80)
                          ? source.slice(begin, at).str()
                          : "\\" + llvm::utohexstr((unsigned char)rest[0]);
  bool isCondition = StringRef("!&|").contains(shown[0]);
  diagnostics.error(source.data() + begin)
      << "'" << shown << "' has no meaning here; "
      << (isCondition ? "write 'and', 'or', 'not' for conditions"
                      : "remove it, or put a text into quotes");
  push(TokenKind::Error, begin);
}

} // namespace

std::vector<TextToken> tokenize(StringRef source, Diagnostics &diagnostics,
                                bool keepComments) {
  return Lexer(source, diagnostics, keepComments).run();
}

bool isKeyword(StringRef word) {
  static const llvm::StringSet<> keywords = {
      "tfir",  "import", "let",    "dataset", "variable", "func",
      "graph", "scope",  "device", "for",     "colocate", "average",
      "if",    "else",   "in",     "return",  "and",      "or",
      "not",   "true",   "false",  "inf",     "nan",      "forever"};
  return keywords.contains(word);
}

bool isStatementKeyword(StringRef word) {
  static const llvm::StringSet<> keywords = {
      "import", "let", "dataset",  "variable", "func", "graph", "scope",
      "device", "for", "colocate", "average",  "if",   "return"};
  return keywords.contains(word);
}

bool isPlainName(StringRef name) {
  return !name.empty() && isNameStart(name.front()) &&
         llvm::all_of(name, isNameCharacter) && !isKeyword(name);
}

std::string unescape(StringRef token) {
  StringRef body = token.drop_front().drop_back();
  std::string text;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      text += body[i];
      continue;
    }
    char c = body[++i];
    if (llvm::isHexDigit(c) && i + 1 < body.size() &&
        llvm::isHexDigit(body[i + 1]))
      text += static_cast<char>(llvm::hexFromNibbles(c, body[++i]));
    else
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
  }
  return text;
}

std::string nameIn(StringRef token) {
  return token.starts_with("\"") ? unescape(token) : token.str();
}

std::string printName(StringRef name) {
  return isPlainName(name) ? name.str() : quote(name);
}

std::string quote(StringRef text) {
  std::string token = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      token += '\\';
      token += c;
    } else if (c == '{' || c == '}') {
      token.append(2, c);
    } else if (llvm::isPrint(c) || (c & 0x80)) {
      token += c;
    } else {
      token += '\\';
      token += llvm::hexdigit((c >> 4) & 15);
      token += llvm::hexdigit(c & 15);
    }
  }
  return token + "\"";
}

StringRef versionOf(StringRef source) {
  for (source = withoutMark(source).ltrim(); source.starts_with("#");)
    source =
        source.drop_front(std::min(source.find('\n'), source.size())).ltrim();
  if (!source.consume_front("tfir"))
    return "";
  StringRef version = source.ltrim(" \t");
  if (version.size() == source.size() || version.empty() ||
      !llvm::isDigit(version.front()))
    return "";
  return version.take_while(llvm::isDigit);
}

} // namespace graphc::text
