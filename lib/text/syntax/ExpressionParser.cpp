// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/ExpressionParser.h"

#include "llvm/ADT/Twine.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace graphc::text {

namespace {

/// The deepest that expressions may stand in each other: what walks them needs
/// a frame of the stack for each.
constexpr unsigned kMaxDepth = 1000;
constexpr unsigned kMaxNesting = 256;

/// Binary operators, from those that bind least. All of a level are
/// left-associative.
constexpr unsigned kLevels = 5;
bool isOperatorOf(unsigned level, const TextToken &token) {
  static constexpr llvm::StringLiteral kOperators[kLevels][7] = {
      {"or", "", "", "", "", "", ""},
      {"and", "", "", "", "", "", ""},
      {"==", "!=", "<=", ">=", "<", ">", ""},
      {"+", "-", "", "", "", "", ""},
      {"*", "/", "//", "%", "@", "", ""}};
  if (token.kind != TokenKind::Symbol && token.kind != TokenKind::Name)
    return false;
  for (StringRef symbol : kOperators[level])
    if (!symbol.empty() && token.text == symbol)
      return true;
  return false;
}

} // namespace

bool ExpressionParser::take(StringRef symbol) {
  if (!peek().isSymbol(symbol))
    return false;
  advance();
  return true;
}

std::string ExpressionParser::found() const {
  if (peek().is(TokenKind::NewLine))
    return "the end of the line";
  if (peek().is(TokenKind::End))
    return "the end of the text";
  return ("'" + peek().text + "'").str();
}

void ExpressionParser::fail(const Twine &message) {
  // A token that the lexer refused has its error.
  if (!failed && !peek().is(TokenKind::Error))
    diagnostics.error(place()) << message;
  failed = true;
}

bool ExpressionParser::expect(StringRef symbol, StringRef after) {
  if (failed)
    return false;
  if (take(symbol))
    return true;
  fail("expected '" + symbol + "' after " + after + ", found " + found());
  return false;
}

StringRef ExpressionParser::expectName(StringRef what) {
  if (failed)
    return "";
  StringRef text = peek().text;
  if (peek().is(TokenKind::Name) && !isKeyword(text)) {
    advance();
    return text;
  }
  if (peek().is(TokenKind::Name))
    fail("expected " + what + ", but '" + text +
         "' is a word of the language; take another name");
  else
    fail("expected " + what + ", found " + found());
  return "";
}

StringRef ExpressionParser::expectNameOrString(StringRef what) {
  if (failed || !peek().is(TokenKind::String))
    return expectName(what);
  StringRef text = peek().text;
  advance();
  return text;
}

bool ExpressionParser::close(StringRef symbol, const char *opened) {
  if (failed)
    return false;
  if (!peek().isSymbol(symbol)) {
    unsigned line = diagnostics.locate(opened).getLine();
    fail("expected ',' or '" + symbol + "' for the bracket of line " +
         Twine(line) + ", found " + found());
    return false;
  }
  --inBrackets;
  advance();
  return true;
}

Expr *ExpressionParser::make(ExprKind kind, const char *place, StringRef text,
                             ArrayRef<Expr *> operands) {
  auto *expr = new (tree.arena.Allocate<Expr>())
      Expr{kind, place, text, tree.copy(operands), {}, {}, 0};
  for (Expr *operand : operands)
    expr->depth = std::max(expr->depth, operand->depth + 1);
  if (expr->depth > kMaxDepth) {
    fail("an expression has more than " + Twine(kMaxDepth) +
         " parts in each other; give parts of it a name");
    *expr = Expr{ExprKind::Error, place, "", {}, {}, {}, 0};
  }
  return expr;
}

Expr *ExpressionParser::parseExpr() {
  if (failed)
    return errorExpr();
  if (nesting >= kMaxNesting) {
    fail("more than " + Twine(kMaxNesting) +
         " brackets are open here; give parts of the expression a name");
    return errorExpr();
  }
  ++nesting;
  Expr *expr = parseBinary(0);
  --nesting;
  return expr;
}

Expr *ExpressionParser::parseBinary(unsigned level) {
  if (level == kLevels)
    return parseUnary();
  // `not` binds less than comparisons.
  if (level == 2 && peek().isName("not")) {
    const char *where = place();
    SmallVector<const char *> places;
    while (peek().isName("not")) {
      places.push_back(place());
      advance();
    }
    Expr *operand = parseBinary(level);
    for (size_t i = 0; i < places.size() && !failed; ++i)
      operand = make(ExprKind::Unary, where, "not", {operand});
    return operand;
  }
  Expr *left = parseBinary(level + 1);
  while (!failed && isOperatorOf(level, peek())) {
    const char *where = place();
    StringRef symbol = peek().text;
    advance();
    skipNewLines();
    Expr *right = parseBinary(level + 1);
    left = make(ExprKind::Binary, where, symbol, {left, right});
  }
  return left;
}

Expr *ExpressionParser::parseUnary() {
  SmallVector<const char *> minus;
  while (peek().isSymbol("-")) {
    minus.push_back(place());
    advance();
  }
  Expr *operand = parsePower();
  for (const char *where : llvm::reverse(minus))
    operand = make(ExprKind::Unary, where, "-", {operand});
  return operand;
}

Expr *ExpressionParser::parsePower() {
  Expr *base = parsePostfix();
  if (failed || !peek().isSymbol("**"))
    return base;
  const char *where = place();
  advance();
  skipNewLines();
  if (nesting >= kMaxNesting) {
    fail("too many powers of powers; give parts of the expression a name");
    return errorExpr();
  }
  // Right-associative; the exponent may have a sign.
  ++nesting;
  Expr *exponent = parseUnary();
  --nesting;
  return make(ExprKind::Binary, where, "**", {base, exponent});
}

Expr *ExpressionParser::parsePostfix() {
  Expr *expr = parsePrimary();
  while (!failed && peek().isSymbol("["))
    expr = parseSubscript(expr);
  if (!failed && peek().isSymbol("."))
    fail("names have no parts behind a dot; operations are called by their own "
         "name, as in 'relu(x)'");
  return expr;
}

/// Takes the name of what is called, `relu` or `summary.scalar`; empty: nothing
/// is.
StringRef ExpressionParser::takeCalled() {
  StringRef name = peek().text;
  if (peek(1).isSymbol("(")) {
    advance();
    return name;
  }
  // Without a space.
  if (!peek(1).isSymbol(".") || !peek(2).is(TokenKind::Name) ||
      !peek(3).isSymbol("(") || peek(1).text.data() != name.end() ||
      peek(2).text.data() != peek(1).text.end())
    return {};
  StringRef whole(name.data(), peek(2).text.end() - name.data());
  for (int i = 0; i < 3; ++i)
    advance();
  return whole;
}

Expr *ExpressionParser::parsePrimary() {
  if (failed)
    return errorExpr();
  const char *where = place();
  TextToken token = peek();
  auto leaf = [&](ExprKind kind, StringRef text) {
    advance();
    return make(kind, where, text);
  };
  switch (token.kind) {
  case TokenKind::Integer:
    return leaf(ExprKind::Integer, token.text);
  case TokenKind::Float:
    return leaf(ExprKind::Float, token.text);
  case TokenKind::String:
    return leaf(ExprKind::String, token.text);
  case TokenKind::Raw:
    return leaf(ExprKind::Raw, token.text.drop_front().drop_back());
  case TokenKind::Name:
    if (isKeyword(token.text) && token.text != "true" &&
        token.text != "false" && token.text != "inf" && token.text != "nan" &&
        token.text != "forever")
      break;
    if (StringRef called = takeCalled(); !called.empty()) {
      Expr *call = make(ExprKind::Call, where, called);
      call->arguments = parseArguments();
      for (const Argument &argument : call->arguments)
        call->depth = std::max(call->depth, argument.value->depth + 1);
      if (call->depth > kMaxDepth)
        fail("calls stand in each other more than " + Twine(kMaxDepth) +
             " deep; give parts of the expression a name");
      return call;
    }
    return leaf(ExprKind::Name, token.text);
  default:
    break;
  }
  if (token.isSymbol("?"))
    return leaf(ExprKind::Open, token.text);
  if (token.isSymbol("["))
    return parseList();
  if (token.isSymbol("(")) {
    open();
    Expr *inner = parseExpr();
    close(")", where);
    return inner;
  }
  fail("expected a value such as a number, a name or a call, found " + found());
  return errorExpr();
}

Expr *ExpressionParser::parseList() {
  const char *where = place();
  open();
  SmallVector<Expr *> elements;
  while (!failed && !peek().isSymbol("]")) {
    elements.push_back(parseExpr());
    if (!take(","))
      break;
  }
  close("]", where);
  return make(ExprKind::List, where, "", elements);
}

Index ExpressionParser::parseIndex() {
  Index index{Index::Kind::Single, place(), nullptr, nullptr};
  if (take("...")) {
    index.kind = Index::Kind::Ellipsis;
    return index;
  }
  if (!peek().isSymbol(":"))
    index.begin = parseExpr();
  if (take(":")) {
    index.kind = Index::Kind::Range;
    if (!peek().isSymbol(",") && !peek().isSymbol("]"))
      index.end = parseExpr();
  }
  return index;
}

Expr *ExpressionParser::parseSubscript(Expr *base) {
  const char *where = place();
  open();
  SmallVector<Index> indices;
  while (!failed && !peek().isSymbol("]")) {
    indices.push_back(parseIndex());
    if (!take(","))
      break;
  }
  close("]", where);
  Expr *expr = make(ExprKind::Subscript, base->place, "", {base});
  expr->indices = tree.copy<Index>(indices);
  return expr;
}

ArrayRef<Argument> ExpressionParser::parseArguments() {
  const char *where = place();
  open();
  SmallVector<Argument> arguments;
  while (!failed && !peek().isSymbol(")")) {
    Argument argument;
    if (peek().is(TokenKind::Name) && peek(1).isSymbol("=")) {
      argument.name = peek().text;
      advance();
      advance();
    }
    argument.value = parseExpr();
    arguments.push_back(argument);
    if (!take(","))
      break;
  }
  close(")", where);
  return tree.copy<Argument>(arguments);
}

TypeExpr *ExpressionParser::parseType() {
  auto *type = new (tree.arena.Allocate<TypeExpr>()) TypeExpr{place(), "", {}};
  type->element = expectName("a type such as f32[2, 3]");
  if (failed || !peek().isSymbol("["))
    return type;
  const char *where = place();
  open();
  SmallVector<Expr *> dims;
  while (!failed && !peek().isSymbol("]")) {
    dims.push_back(parseExpr());
    if (!take(","))
      break;
  }
  close("]", where);
  type->dims = tree.copy<Expr *>(dims);
  return type;
}

Declared ExpressionParser::parseDeclared(StringRef what) {
  Declared declared{place(), expectNameOrString(what), nullptr};
  if (!failed && take(":"))
    declared.type = parseType();
  return declared;
}

} // namespace graphc::text
