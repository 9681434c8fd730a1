// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts for the word under the cursor, and types beside names.
#include "tools/graphc-lsp/Answers.h"

#include "lib/text/Operators.h"
#include "lib/text/Signatures.h"
#include "lib/text/TextCalls.h"
#include "lib/text/library/Library.h"

using namespace graphc::text;
using llvm::StringRef;

namespace graphc::lsp {

namespace {

StringRef nounOf(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Constant:
    return "constant";
  case SymbolKind::Dataset:
    return "dataset";
  case SymbolKind::Variable:
    return "variable";
  case SymbolKind::Func:
    return "func";
  case SymbolKind::Graph:
    return "graph";
  case SymbolKind::Operand:
    return "operand";
  case SymbolKind::Value:
    return "value";
  }
  return "";
}

std::string codeBlock(StringRef code) {
  return ("```graphc\n" + code + "\n```\n").str();
}

/// "func dense(x, w)": the part of the first line before its block.
std::string headOf(const TextStatement &statement) {
  std::string head =
      (nounOf(statement.kind == StatementKind::Func ? SymbolKind::Func
                                                    : SymbolKind::Graph) +
       " " + statement.name + "(")
          .str();
  for (auto [index, operand] : llvm::enumerate(statement.declared))
    head += (index ? ", " : "") + operand.name.str();
  return head + ")";
}

/// Types, constants, shapes and devices of what a word stands for.
std::string textOf(const Analysis &text, const MeaningsOfPlace &all) {
  std::string lines;
  for (const Meaning &meaning : all.first) {
    std::string what = meaning.type.empty() ? meaning.text : meaning.type;
    lines += "- `" + what + "`";
    if (text.placed) {
      std::string bound = text.placed->typeOf(meaning);
      if (!bound.empty() && bound != meaning.type)
        lines += ", with batch " +
                 std::to_string(text.options.compile.batch.value_or(0)) +
                 ": `" + bound + "`";
    }
    if (!meaning.key.empty())
      lines += ", " + meaning.key;
    lines += "\n";
  }
  if (all.count > all.first.size() && all.first.size() > 1)
    lines += "- " + std::to_string(all.count) + " times in all\n";
  if (text.placed)
    for (const Meaning &meaning : all.first)
      if (std::string why = text.placed->explain(meaning); !why.empty())
        return lines + "```\n" + why + "```\n";
  return lines;
}

std::string describeSymbol(const Analysis &text, const Mark &mark) {
  const Symbol &symbol = text.marks->symbols[mark.symbol];
  if (symbol.kind == SymbolKind::Func || symbol.kind == SymbolKind::Graph)
    return codeBlock(headOf(*symbol.statement));
  return codeBlock((nounOf(symbol.kind) + " " + symbol.name).str());
}

std::string describeOperation(StringRef name) {
  if (const OpSignature *op = findOp(name))
    return codeBlock(describe(*op)) + op->summary.str() + "\n\n";
  if (const AttributeSignature *attribute = findAttribute(name)) {
    std::string call = name.str() + "(";
    for (auto [index, each] : llvm::enumerate(attribute->parameters))
      call += (index ? ", " : "") + each.name.str() + "=";
    return codeBlock(call + ")") + attribute->summary.str() + "\n\n";
  }
  if (const TextCall *call = findTextCall(name))
    return codeBlock(call->call) + call->summary.str() + "\n\n";
  if (const LibraryFunc *func = findLibraryFunc(name))
    return codeBlock(func->call) + func->summary + "\n\n";
  return "";
}

std::string describeArgument(const Mark &mark) {
  if (!mark.expr)
    return "";
  const ArgumentSignature *found = nullptr;
  std::string example;
  if (const OpSignature *op = findOp(mark.expr->text)) {
    found = op->find(mark.text);
    if (found)
      example = exampleOf(found->kind);
  } else if (const AttributeSignature *attribute =
                 findAttribute(mark.expr->text)) {
    for (const ArgumentSignature &each : attribute->parameters)
      if (each.name == mark.text)
        found = &each;
  }
  if (!found)
    return "";
  std::string text =
      codeBlock((mark.text + "=" + example).str()) + found->summary.str();
  if (!found->cases.empty()) {
    text += "; one of ";
    llvm::SmallVector<StringRef> cases;
    StringRef(found->cases).split(cases, ',');
    for (auto [index, each] : llvm::enumerate(cases))
      text += ((index ? ", `" : "`") + each.split('=').first + "`").str();
  }
  return text + "\n";
}

} // namespace

Json hover(const Analysis &text, const char *place) {
  const Mark *mark = text.marks->at(place);
  if (!mark)
    return nullptr;
  std::string words;
  switch (mark->kind) {
  case MarkKind::Definition:
  case MarkKind::Use:
    words = describeSymbol(text, *mark);
    break;
  case MarkKind::Operation:
  case MarkKind::Attribute:
    words = describeOperation(mark->text);
    if (const ImportedText *import = text.importOf(mark->text))
      words =
          codeBlock(headOf(*import->marks->findGlobal(mark->text)->statement)) +
          "of " + import->path + "\n\n";
    break;
  case MarkKind::Argument:
    words = describeArgument(*mark);
    break;
  case MarkKind::Operator:
    words =
        describeOperation(operationOf(mark->text, mark->expr->operands.size()));
    break;
  case MarkKind::Type:
    break;
  }
  if (const MeaningsOfPlace *meanings = text.meaningAt(mark->text.data()))
    words += textOf(text, *meanings);
  if (words.empty())
    return nullptr;
  return llvm::json::Object{
      {"contents", llvm::json::Object{{"kind", "markdown"}, {"value", words}}},
      {"range", text.lines.range(mark->text)}};
}

namespace {

/// Adds a hint for each name without a type in the statements.
void addHints(const Analysis &text, llvm::ArrayRef<TextStatement *> body,
              const char *begin, const char *end, llvm::json::Array &hints) {
  for (const TextStatement *statement : body) {
    bool hasNames = statement->kind == StatementKind::Assign ||
                    statement->kind == StatementKind::Func;
    llvm::ArrayRef<Declared> names;
    if (hasNames)
      names = statement->declared;
    for (const Declared &target : names) {
      const char *behind = target.name.end();
      const MeaningsOfPlace *all = text.meaningAt(target.name.data());
      if (target.type || behind < begin || behind > end || !all)
        continue;
      // Where calls give different types, none is the one.
      std::string type = all->first.front().type;
      if (llvm::any_of(all->first,
                       [&](const Meaning &each) { return each.type != type; }))
        continue;
      if (text.options.hasBatch && text.placed)
        if (std::string bound = text.placed->typeOf(all->first.front());
            !bound.empty())
          type = bound;
      if (type.empty())
        continue;
      hints.push_back(llvm::json::Object{
          {"position",
           toJson(text.lines.positionOf(behind - text.source.data()))},
          {"label", ": " + type},
          {"kind", 1}});
    }
    addHints(text, statement->body, begin, end, hints);
    addHints(text, statement->otherwise, begin, end, hints);
  }
}

} // namespace

Json inlayHints(const Analysis &text, const char *begin, const char *end) {
  llvm::json::Array hints;
  addHints(text, text.tree.statements, begin, end, hints);
  return hints;
}

} // namespace graphc::lsp
