// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definitions, uses and new names of symbols, and the outline of a text.
#include "tools/graphc-lsp/Answers.h"

using namespace graphc::text;
using llvm::StringRef;

namespace graphc::lsp {

namespace {

/// The symbol of the word at a place; null where it has none here.
const Mark *symbolAt(const Analysis &text, const char *place) {
  const Mark *mark = text.marks->at(place);
  bool isSymbol = mark && (mark->kind == MarkKind::Definition ||
                           mark->kind == MarkKind::Use);
  return isSymbol ? mark : nullptr;
}

llvm::json::Object locationOf(const SourceLines &lines, StringRef path,
                              StringRef part) {
  return llvm::json::Object{{"uri", uriOf(path)}, {"range", lines.range(part)}};
}

/// The definition that is meant at a place: the last one above it, if there is
/// one.
const Mark *definitionOf(const Marks &marks, unsigned symbol,
                         const char *place) {
  const Mark *found = nullptr;
  for (const Mark &mark : marks.marks) {
    if (mark.kind != MarkKind::Definition || mark.symbol != symbol)
      continue;
    if (found && mark.text.data() > place)
      break;
    found = &mark;
  }
  return found;
}

llvm::Error refuse(const llvm::Twine &why) {
  return llvm::createStringError(why);
}

} // namespace

Json definition(const Analysis &text, const char *place) {
  if (const Mark *mark = symbolAt(text, place)) {
    // `x = f(x)`: a use is of what was bound before its statement.
    const char *limit = mark->text.data();
    if (mark->kind == MarkKind::Use)
      while (limit > text.source.data() && limit[-1] != '\n')
        --limit;
    const Mark *found = definitionOf(*text.marks, mark->symbol, limit);
    return found ? Json(locationOf(text.lines, text.path, found->text))
                 : nullptr;
  }
  const TextToken *token = text.tokenAt(place);
  if (!token || !token->is(TokenKind::Name))
    return nullptr;
  const ImportedText *import = text.importOf(token->text);
  if (!import)
    return nullptr;
  const Symbol *symbol = import->marks->findGlobal(token->text);
  const Mark *found =
      definitionOf(*import->marks, symbol - import->marks->symbols.data(),
                   import->source.data());
  return found ? Json(locationOf(*import->lines, import->path, found->text))
               : nullptr;
}

Json references(const Analysis &text, const char *place, bool withDefinitions) {
  llvm::json::Array all;
  if (const Mark *mark = symbolAt(text, place))
    for (const Mark &each : text.marks->marks)
      if ((each.kind == MarkKind::Use ||
           (each.kind == MarkKind::Definition && withDefinitions)) &&
          each.symbol == mark->symbol)
        all.push_back(locationOf(text.lines, text.path, each.text));
  return all;
}

Json highlights(const Analysis &text, const char *place) {
  constexpr int kRead = 2, kWrite = 3;
  llvm::json::Array all;
  if (const Mark *mark = symbolAt(text, place))
    for (const Mark &each : text.marks->marks)
      if ((each.kind == MarkKind::Use || each.kind == MarkKind::Definition) &&
          each.symbol == mark->symbol)
        all.push_back(llvm::json::Object{
            {"range", text.lines.range(each.text)},
            {"kind", each.kind == MarkKind::Use ? kRead : kWrite}});
  return all;
}

llvm::Expected<Json> prepareRename(const Analysis &text, const char *place) {
  const Mark *mark = symbolAt(text, place);
  if (mark)
    return Json(llvm::json::Object{
        {"range", text.lines.range(mark->text)},
        {"placeholder", text.marks->symbols[mark->symbol].name}});
  const TextToken *token = text.tokenAt(place);
  if (token && text.importOf(token->text))
    return refuse("'" + token->text + "' is declared in '" +
                  text.importOf(token->text)->path +
                  "'; rename it there, and its uses in each text that imports "
                  "it");
  return refuse("there is no name of this text here; rename constants, "
                "datasets, variables, funcs, graphs and values");
}

llvm::Expected<Json> rename(const Analysis &text, const char *place,
                            StringRef name) {
  const Mark *mark = symbolAt(text, place);
  if (!mark)
    return prepareRename(text, place);
  const Symbol &symbol = text.marks->symbols[mark->symbol];
  if (!isPlainName(name))
    return refuse("'" + name +
                  "' is no name: letters, digits and '_', not a digit first, "
                  "and no word of a statement");
  for (const Symbol &other : text.marks->symbols)
    if (&other != &symbol && other.name == name &&
        (other.container == symbol.container || !other.container ||
         !symbol.container))
      return refuse("'" + name + "' is taken already; choose another name");
  llvm::json::Array edits;
  for (const Mark &each : text.marks->marks)
    if ((each.kind == MarkKind::Use || each.kind == MarkKind::Definition) &&
        each.symbol == mark->symbol)
      edits.push_back(llvm::json::Object{{"range", text.lines.range(each.text)},
                                         {"newText", name}});
  return Json(llvm::json::Object{
      {"changes", llvm::json::Object{{uriOf(text.path), std::move(edits)}}}});
}

Json documentSymbols(const Analysis &text) {
  // Numbers of SymbolKind of the protocol.
  constexpr int kMethod = 6, kFunction = 12, kVariable = 13, kConstant = 14,
                kArray = 18;
  llvm::json::Array all;
  for (const TextStatement *statement : text.tree.statements) {
    if (statement->name.empty())
      continue;
    int kind = 0;
    switch (statement->kind) {
    case StatementKind::Let:
      kind = kConstant;
      break;
    case StatementKind::Dataset:
      kind = kArray;
      break;
    case StatementKind::Variable:
      kind = kVariable;
      break;
    case StatementKind::Func:
      kind = kFunction;
      break;
    case StatementKind::Graph:
      kind = kMethod;
      break;
    default:
      continue;
    }
    const char *end = statement->name.end();
    // Up to the end of its block, or of its line.
    size_t line = StringRef(text.source).find('\n', end - text.source.data());
    if (line != StringRef::npos)
      end = text.source.data() + line;
    if (kind == kFunction || kind == kMethod)
      for (auto &[begin, behind] : text.blocks)
        if (begin > statement->place && *begin == '{') {
          end = std::max(end, behind + 1);
          break;
        }
    const char *begin = std::min(statement->place, statement->name.data());
    all.push_back(llvm::json::Object{
        {"name", nameIn(statement->name)},
        {"kind", kind},
        {"range", text.lines.range(StringRef(begin, end - begin))},
        {"selectionRange", text.lines.range(statement->name)}});
  }
  return all;
}

Json foldingRanges(const Analysis &text) {
  llvm::json::Array all;
  for (auto &[begin, end] : text.blocks) {
    unsigned first = text.lines.positionOf(begin - text.source.data()).line;
    unsigned last = text.lines.positionOf(end - text.source.data()).line;
    if (last > first + 1)
      all.push_back(
          llvm::json::Object{{"startLine", first}, {"endLine", last - 1}});
  }
  return all;
}

} // namespace graphc::lsp
