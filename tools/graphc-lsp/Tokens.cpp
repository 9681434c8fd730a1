// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Colours of words by their meaning.
#include "tools/graphc-lsp/Answers.h"

#include "lib/text/Operators.h"
#include "lib/text/Signatures.h"
#include "lib/text/TextCalls.h"

using namespace graphc::text;
using llvm::StringRef;

namespace graphc::lsp {

namespace {

/// Kinds of the legend, in its order.
enum class TokenColor {
  Keyword,
  Comment,
  String,
  Number,
  Operator,
  Type,
  Function,
  Variable,
  Parameter,
  Property,
  EnumMember,
  None,
};
constexpr StringRef kColors[] = {
    "keyword",  "comment",  "string",    "number",   "operator",  "type",
    "function", "variable", "parameter", "property", "enumMember"};

/// Bits of the legend's modifiers.
enum Modifier : unsigned {
  kDeclaration = 1,
  kReadonly = 2,
  kModification = 4,
  kDefaultLibrary = 8,
};
constexpr StringRef kModifiers[] = {"declaration", "readonly", "modification",
                                    "defaultLibrary"};

std::pair<TokenColor, unsigned> colorOf(const Analysis &text,
                                        const Mark &mark) {
  switch (mark.kind) {
  case MarkKind::Operation: {
    bool isKnown = findOp(mark.text) || findTextCall(mark.text);
    return {TokenColor::Function, isKnown ? kDefaultLibrary : 0u};
  }
  case MarkKind::Attribute:
    return {TokenColor::EnumMember, kDefaultLibrary};
  case MarkKind::Argument:
    return {TokenColor::Property, 0};
  case MarkKind::Operator:
    return {TokenColor::Operator, 0};
  case MarkKind::Type:
    return {TokenColor::Type, 0};
  case MarkKind::Definition:
  case MarkKind::Use:
    break;
  }
  unsigned declared = mark.kind == MarkKind::Definition ? kDeclaration : 0u;
  switch (text.marks->symbols[mark.symbol].kind) {
  case SymbolKind::Func:
  case SymbolKind::Graph:
    return {TokenColor::Function, declared};
  case SymbolKind::Operand:
    return {TokenColor::Parameter, declared};
  case SymbolKind::Constant:
  case SymbolKind::Dataset:
    return {TokenColor::Variable, declared | kReadonly};
  case SymbolKind::Variable:
    return {TokenColor::Variable, declared | kModification};
  case SymbolKind::Value:
    break;
  }
  return {TokenColor::Variable, declared};
}

std::pair<TokenColor, unsigned> colorOf(const Analysis &text,
                                        const TextToken &token) {
  switch (token.kind) {
  case TokenKind::Comment:
    return {TokenColor::Comment, 0};
  case TokenKind::String:
  case TokenKind::Raw:
    break;
  case TokenKind::Integer:
  case TokenKind::Float:
    return {TokenColor::Number, 0};
  case TokenKind::Symbol:
    if (!operationOf(token.text, 2).empty() || token.text.ends_with("="))
      return {TokenColor::Operator, 0};
    return {TokenColor::None, 0};
  case TokenKind::Name:
    if (isKeyword(token.text))
      return {TokenColor::Keyword, 0};
    break;
  default:
    return {TokenColor::None, 0};
  }
  // A name in quotes, or one within a string, is a mark, too.
  const Mark *mark = text.marks->at(token.text.data());
  if (mark && mark->text.data() == token.text.data())
    return colorOf(text, *mark);
  if (token.is(TokenKind::Name))
    return {TokenColor::None, 0};
  return {TokenColor::String, 0};
}

} // namespace

llvm::json::Object tokenLegend() {
  return llvm::json::Object{{"tokenTypes", llvm::json::Array(kColors)},
                            {"tokenModifiers", llvm::json::Array(kModifiers)}};
}

Json semanticTokens(const Analysis &text) {
  llvm::json::Array data;
  Position last;
  for (const TextToken &token : text.tokens) {
    auto [color, modifiers] = colorOf(text, token);
    if (color == TokenColor::None || token.text.contains('\n'))
      continue;
    size_t offset = token.text.data() - text.source.data();
    Position begin = text.lines.positionOf(offset);
    Position end = text.lines.positionOf(offset + token.text.size());
    bool isSameLine = begin.line == last.line;
    data.push_back(begin.line - last.line);
    data.push_back(begin.character - (isSameLine ? last.character : 0));
    data.push_back(end.character - begin.character);
    data.push_back(static_cast<int>(color));
    data.push_back(modifiers);
    last = begin;
  }
  return llvm::json::Object{{"data", std::move(data)}};
}

} // namespace graphc::lsp
