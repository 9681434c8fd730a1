// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/Parser.h"

#include "lib/text/syntax/ExpressionParser.h"
#include "lib/text/syntax/SkipStatement.h"
#include "lib/text/syntax/Upgrade.h"

#include "llvm/ADT/Twine.h"

#include <utility>

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace graphc::text {

namespace {

/// The deepest that blocks may stand in each other.
constexpr unsigned kMaxBlocks = 64;

class StatementParser : public ExpressionParser {
public:
  using ExpressionParser::ExpressionParser;

  std::vector<TextStatement *> parseAll();

  bool isLibrary = false;

private:
  TextStatement *parseStatement();
  ArrayRef<TextStatement *> parseBlock();
  ArrayRef<Declared> parseDeclaredList(StringRef what);
  ArrayRef<Argument> parseSettings();

  void parseKeyword(TextStatement &statement);
  void parseDataset(TextStatement &statement);
  void parseVariable(TextStatement &statement);
  void parseGraph(TextStatement &statement);
  void parseFor(TextStatement &statement);
  void parseIf(TextStatement &statement);
  void parseReturn(TextStatement &statement);
  void parseAssign(TextStatement &statement);
  void parseExpressionStatement(TextStatement &statement);
  void parseResults(TextStatement &statement);
  void endStatement();

  unsigned blocks = 0;
};

std::vector<TextStatement *> StatementParser::parseAll() {
  std::vector<TextStatement *> statements;
  skipNewLines();
  // isText() has seen both. In another version each line may look wrong.
  advance();
  if (!checkVersion(peek().text, diagnostics))
    return statements;
  advance();
  if (peek().is(TokenKind::Name) || peek().is(TokenKind::String)) {
    tree.name = peek().text;
    advance();
  }
  endStatement();
  while (true) {
    skipNewLines();
    if (peek().is(TokenKind::End) || diagnostics.hasTooMany())
      return statements;
    if (TextStatement *statement = parseStatement())
      statements.push_back(statement);
  }
}

void StatementParser::endStatement() {
  if (!failed && !peek().is(TokenKind::NewLine) && !peek().isSymbol(";") &&
      !peek().isSymbol("}") && !peek().is(TokenKind::End))
    fail("expected the end of the statement, found " + found());
  if (failed)
    at = skipStatement(tokens, at, std::exchange(inBrackets, 0));
  failed = false;
  if (peek().is(TokenKind::NewLine) || peek().isSymbol(";"))
    advance();
}

TextStatement *StatementParser::parseStatement() {
  const TextToken &token = peek();
  auto *statement = new (tree.arena.Allocate<TextStatement>())
      TextStatement(StatementKind::Call, place());
  bool isKeywordStatement = token.is(TokenKind::Name) && isKeyword(token.text);
  if (token.isSymbol("}")) {
    fail("there is no block for this '}' to close");
    failed = false;
    advance();
    return nullptr;
  }
  if (isKeywordStatement)
    parseKeyword(*statement);
  else if (token.is(TokenKind::Name) &&
           (peek(1).isSymbol("=") || peek(1).isSymbol(",") ||
            peek(1).isSymbol(":")))
    parseAssign(*statement);
  else
    parseExpressionStatement(*statement);
  bool good = !failed;
  endStatement();
  return good ? statement : nullptr;
}

void StatementParser::parseKeyword(TextStatement &statement) {
  StringRef word = peek().text;
  advance();
  if (word == "import") {
    statement.kind = StatementKind::Import;
    statement.value = parseExpr();
  } else if (word == "let") {
    statement.kind = StatementKind::Let;
    statement.name = expectName("the name of a constant");
    expect("=", "the name of a constant");
    statement.value = parseExpr();
  } else if (word == "dataset") {
    parseDataset(statement);
  } else if (word == "variable") {
    parseVariable(statement);
  } else if (word == "func") {
    statement.kind = StatementKind::Func;
    statement.name = expectName("the name of a func");
    statement.declared = parseDeclaredList("an operand");
    statement.body = parseBlock();
  } else if (word == "graph") {
    parseGraph(statement);
  } else if (word == "for") {
    parseFor(statement);
  } else if (word == "if") {
    parseIf(statement);
  } else if (word == "scope" || word == "colocate") {
    statement.kind =
        word == "scope" ? StatementKind::Scope : StatementKind::Colocate;
    statement.value = parseExpr();
    statement.body = parseBlock();
  } else if (word == "device") {
    statement.kind = StatementKind::Device;
    statement.value = parseExpr();
    parseResults(statement);
    statement.body = parseBlock();
  } else if (word == "average") {
    statement.kind = StatementKind::Average;
    statement.body = parseBlock();
  } else if (word == "return") {
    parseReturn(statement);
  } else {
    --at;
    fail("a statement cannot begin with '" + word + "'");
  }
}

ArrayRef<Declared> StatementParser::parseDeclaredList(StringRef what) {
  const char *where = place();
  if (failed)
    return {};
  if (!peek().isSymbol("(")) {
    fail("expected '(', found " + found());
    return {};
  }
  open();
  SmallVector<Declared> list;
  while (!failed && !peek().isSymbol(")")) {
    list.push_back(parseDeclared(what));
    if (isLibrary && !failed && take("="))
      list.back().value = parseExpr();
    if (!take(","))
      break;
  }
  close(")", where);
  return tree.copy<Declared>(list);
}

ArrayRef<Argument> StatementParser::parseSettings() {
  SmallVector<Argument> settings;
  while (!failed) {
    take(",");
    if (!peek().is(TokenKind::Name) || !peek(1).isSymbol("="))
      break;
    StringRef name = peek().text;
    advance();
    advance();
    settings.push_back({name, parseExpr()});
  }
  return tree.copy<Argument>(settings);
}

void StatementParser::parseDataset(TextStatement &statement) {
  statement.kind = StatementKind::Dataset;
  statement.name = expectNameOrString("the name of a dataset");
  statement.declared = parseDeclaredList("a field");
  statement.arguments = parseSettings();
}

void StatementParser::parseVariable(TextStatement &statement) {
  statement.kind = StatementKind::Variable;
  statement.place = place();
  statement.name = expectNameOrString("the name of a variable");
  if (!failed && peek().isSymbol("[")) {
    const char *where = place();
    open();
    if (peek().is(TokenKind::Name) && peek(1).isName("in")) {
      statement.index = expectName("an index");
      advance();
      Expr *zero = parseExpr();
      if (!failed && zero->text != "0")
        fail("arrays of variables count from 0; write 'in 0..n'");
      expect("..", "the first index");
    }
    statement.size = parseExpr();
    close("]", where);
  }
  expect(":", "the name of a variable");
  statement.type = parseType();
  if (!failed && !take("="))
    fail("expected '=' and an initial value such as 0.0 after the type of a "
         "variable, found " +
         found());
  skipNewLines();
  statement.value = parseExpr();
  statement.arguments = parseSettings();
}

void StatementParser::parseResults(TextStatement &statement) {
  if (failed || !take("->"))
    return;
  statement.hasResults = true;
  statement.results = parseDeclaredList("the name of a result");
}

void StatementParser::parseGraph(TextStatement &statement) {
  statement.kind = StatementKind::Graph;
  statement.name = expectNameOrString("the name of a graph");
  statement.declared = parseDeclaredList("a feed");
  parseResults(statement);
  statement.body = parseBlock();
}

void StatementParser::parseFor(TextStatement &statement) {
  statement.kind = StatementKind::For;
  statement.name = expectName("the name of the index");
  if (!failed && !peek().isName("in"))
    fail("expected 'in' after the name of the index, found " + found());
  if (failed)
    return;
  advance();
  statement.value = parseExpr();
  if (!failed && take(".."))
    statement.end = parseExpr();
  statement.body = parseBlock();
}

void StatementParser::parseIf(TextStatement &statement) {
  statement.kind = StatementKind::If;
  statement.value = parseExpr();
  statement.body = parseBlock();
  if (failed)
    return;
  // `else` may stand in a line of its own.
  size_t next = at;
  while (tokens[next].is(TokenKind::NewLine))
    ++next;
  if (!tokens[next].isName("else"))
    return;
  at = next;
  advance();
  if (!peek().isName("if")) {
    statement.otherwise = parseBlock();
    return;
  }
  if (++blocks > kMaxBlocks) {
    fail("more than " + Twine(kMaxBlocks) + " 'else if' in a row");
    return;
  }
  auto *chained = new (tree.arena.Allocate<TextStatement>())
      TextStatement(StatementKind::If, place());
  advance();
  parseIf(*chained);
  --blocks;
  statement.otherwise = tree.copy<TextStatement *>(chained);
}

void StatementParser::parseReturn(TextStatement &statement) {
  statement.kind = StatementKind::Return;
  SmallVector<Argument> values;
  if (!peek().is(TokenKind::NewLine) && !peek().isSymbol("}") &&
      !peek().isSymbol(";")) {
    do {
      skipNewLines();
      values.push_back({"", parseExpr()});
    } while (!failed && take(","));
  }
  statement.arguments = tree.copy<Argument>(values);
}

void StatementParser::parseAssign(TextStatement &statement) {
  statement.kind = StatementKind::Assign;
  SmallVector<Declared> targets;
  do
    targets.push_back(parseDeclared("a name"));
  while (!failed && take(","));
  statement.declared = tree.copy<Declared>(targets);
  expect("=", targets.size() == 1 ? "a name" : "names");
  skipNewLines();
  statement.value = parseExpr();
}

void StatementParser::parseExpressionStatement(TextStatement &statement) {
  statement.target = parseExpr();
  if (failed)
    return;
  const TextToken &token = peek();
  if (token.isSymbol(":=") || token.isSymbol("+=") || token.isSymbol("-=")) {
    statement.kind = StatementKind::Update;
    statement.text = token.text;
    statement.place = place();
    advance();
    skipNewLines();
    statement.value = parseExpr();
    return;
  }
  if (token.isSymbol("*=") || token.isSymbol("/=")) {
    fail("there is no '" + token.text + "'; write w := w " +
         token.text.take_front() + " ...");
    return;
  }
  statement.kind = StatementKind::Call;
  statement.value = statement.target;
  if (statement.value->kind == ExprKind::Call)
    return;
  if (token.isSymbol("=")) {
    fail("only names stand left of '='; a variable of an array is assigned by "
         "':='");
    return;
  }
  failed = true;
  diagnostics.error(statement.place)
      << "the value of this expression is used by nothing; give it a name: "
         "y = ...";
}

ArrayRef<TextStatement *> StatementParser::parseBlock() {
  if (failed)
    return {};
  const char *where = place();
  if (!peek().isSymbol("{")) {
    fail("expected '{', found " + found());
    return {};
  }
  if (blocks >= kMaxBlocks) {
    fail("more than " + Twine(kMaxBlocks) +
         " blocks stand in each other here; nest less deeply");
    return {};
  }
  ++blocks;
  advance();
  SmallVector<TextStatement *> body;
  while (true) {
    skipNewLines();
    if (peek().isSymbol("}") || peek().is(TokenKind::End))
      break;
    if (diagnostics.hasTooMany())
      break;
    if (TextStatement *statement = parseStatement())
      body.push_back(statement);
  }
  --blocks;
  // What is in it counts all the same: an editor asks while it is typed.
  if (peek().is(TokenKind::End)) {
    diagnostics.error(where) << "the block that begins here has no end; close "
                                "it with '}'";
  } else {
    take("}");
  }
  return tree.copy<TextStatement *>(body);
}

} // namespace

void parseTree(StringRef source, Diagnostics &diagnostics, Tree &tree,
               bool isLibrary) {
  StatementParser parser(tokenize(source, diagnostics), diagnostics, tree);
  parser.isLibrary = isLibrary;
  tree.statements = parser.parseAll();
}

} // namespace graphc::text
