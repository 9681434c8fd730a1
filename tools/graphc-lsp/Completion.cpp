// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that fit at the cursor, and the call that it stands in. Both look at
// tokens: while one types, the statement is no statement yet.
#include "tools/graphc-lsp/Answers.h"

#include "lib/text/FuncCalls.h"
#include "lib/text/Signatures.h"
#include "lib/text/TextCalls.h"
#include "lib/text/library/Library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace graphc::text;
using llvm::StringRef;

namespace graphc::lsp {

namespace {

// Numbers of CompletionItemKind of the protocol.
enum ItemKind {
  kFunction = 3,
  kConstructor = 4,
  kField = 5,
  kVariable = 6,
  kEnumMember = 20,
  kKeyword = 14,
  kConstant = 21,
  kStruct = 22,
};

/// The argument of a call of this name, null where it has none.
const ArgumentSignature *argumentOf(StringRef callee, StringRef name,
                                    unsigned position) {
  llvm::ArrayRef<ArgumentSignature> arguments;
  if (const OpSignature *op = findOp(callee))
    arguments = op->arguments;
  else if (const AttributeSignature *attribute = findAttribute(callee))
    arguments = attribute->parameters;
  for (const ArgumentSignature &each : arguments)
    if (each.name == name)
      return &each;
  bool isPositional = name.empty() && position < arguments.size();
  return isPositional ? &arguments[position] : nullptr;
}

/// True for an argument that takes calls of attributes.
bool takesAttributes(const ArgumentSignature *argument) {
  return argument && (argument->kind == ArgumentKind::Attribute ||
                      argument->kind == ArgumentKind::AttributeList ||
                      argument->kind == ArgumentKind::ColumnList);
}

/// The brackets and the words before a cursor.
struct Context {
  std::string callee; ///< of the innermost call around; empty outside of one
  std::vector<std::string> given; ///< names of its arguments so far
  std::string argument;           ///< `name=` that the cursor stands behind
  unsigned position = 0;          ///< commas of the call before the cursor
  bool isInList = false;          ///< in one that takes attributes
  bool isStatement = true;        ///< the cursor begins one
  bool isType = false;            ///< behind a colon
  bool isName = false; ///< a new name is being written, or words are: nothing
                       ///< fits
  StringRef prefix;    ///< of the word, as far as it is there
};

/// The word that ends in `word`, with its module where a dot stands before it:
/// `summary.scalar`.
StringRef dottedWord(const Analysis &text, StringRef word) {
  const char *begin = word.begin(), *limit = text.source.data();
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (begin == limit || begin[-1] != '.')
    return word;
  do
    --begin;
  while (begin > limit && isPart(begin[-1]));
  return StringRef(begin, word.end() - begin);
}

Context contextAt(const Analysis &text, const char *place) {
  struct Level {
    std::string callee;
    std::vector<std::string> given;
    std::string argument;
    unsigned position = 0;
    char bracket = 0;
    std::string listCallee, listArgument; ///< of a list, what it is given to
    unsigned listPosition = 0;
  };
  std::vector<Level> levels(1);
  Context context;
  const TextToken *before = nullptr, *wordBefore = nullptr;
  for (const TextToken &token : text.tokens) {
    if (token.text.data() >= place)
      break;
    bool isWord = token.is(TokenKind::Name) || token.is(TokenKind::Integer);
    bool isLast = token.text.end() >= place;
    if (isLast && (token.is(TokenKind::Comment) ||
                   (token.is(TokenKind::String) && token.text.end() > place))) {
      context.isName = true;
      break;
    }
    if (isLast && isWord) {
      context.prefix = dottedWord(
          text, StringRef(token.text.data(), place - token.text.data()));
      break;
    }
    Level &level = levels.back();
    if (token.isSymbol("(") || token.isSymbol("[") || token.isSymbol("{")) {
      Level next;
      next.bracket = token.text[0];
      if (token.isSymbol("(") && before && before->is(TokenKind::Name) &&
          !isKeyword(before->text) &&
          !(wordBefore &&
            (wordBefore->isName("func") || wordBefore->isName("graph") ||
             wordBefore->isName("dataset"))))
        next.callee = dottedWord(text, before->text);
      if (token.isSymbol("[")) {
        next.argument = level.argument;
        next.listCallee = level.callee;
        next.listArgument = level.argument;
        next.listPosition = level.position;
      }
      levels.push_back(std::move(next));
    } else if (token.isSymbol(")") || token.isSymbol("]") ||
               token.isSymbol("}")) {
      if (levels.size() > 1)
        levels.pop_back();
    } else if (token.isSymbol("=") && before && before->is(TokenKind::Name) &&
               level.bracket == '(') {
      level.argument = before->text;
      level.given.push_back(level.argument);
    } else if (token.isSymbol(",")) {
      level.argument.clear();
      ++level.position;
    }
    wordBefore = before;
    before = token.is(TokenKind::Comment) ? before : &token;
  }
  Level &level = levels.back();
  context.callee = level.bracket == '(' ? level.callee : "";
  context.given = level.given;
  context.argument = level.argument;
  context.position = level.position;
  context.isInList = takesAttributes(
      argumentOf(level.listCallee, level.listArgument, level.listPosition));
  bool isLineBegin = !before || before->is(TokenKind::NewLine) ||
                     before->isSymbol(";") || before->isSymbol("{") ||
                     before->isSymbol("}");
  context.isStatement =
      isLineBegin && (level.bracket == 0 || level.bracket == '{');
  context.isType = before && before->isSymbol(":") && level.bracket != '[';
  for (StringRef keyword :
       {"func", "graph", "let", "variable", "dataset", "for", "import"})
    context.isName |= before && before->isName(keyword);
  return context;
}

/// Items in the order in which they are offered, those of a word first.
class Items {
public:
  explicit Items(StringRef prefix) : prefix(prefix) {}

  void add(StringRef label, ItemKind kind, StringRef detail = "",
           StringRef words = "") {
    if (!label.starts_with(prefix) || !seen.insert(label).second)
      return;
    llvm::json::Object item{{"label", label.str()},
                            {"kind", static_cast<int>(kind)}};
    if (!detail.empty())
      item["detail"] = detail.str();
    if (!words.empty())
      item["documentation"] = words.str();
    item["sortText"] = (llvm::Twine(char('a' + rank)) + label).str();
    all.push_back(std::move(item));
  }

  llvm::json::Array all;
  unsigned rank = 0; ///< of what is added: 0 comes first

private:
  StringRef prefix;
  llvm::StringSet<> seen;
};

ItemKind itemKindOf(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Constant:
    return kConstant;
  case SymbolKind::Dataset:
    return kStruct;
  case SymbolKind::Func:
  case SymbolKind::Graph:
    return kFunction;
  default:
    return kVariable;
  }
}

void addNames(const Analysis &text, const char *place, Items &items) {
  const TextStatement *container = text.containerAt(place);
  for (const Symbol &symbol : text.marks->symbols) {
    if (symbol.container && symbol.container != container)
      continue;
    if (symbol.kind == SymbolKind::Graph)
      continue;
    std::string detail;
    for (const Mark &mark : text.marks->marks)
      if (mark.kind == MarkKind::Definition &&
          &text.marks->symbols[mark.symbol] == &symbol) {
        if (const MeaningsOfPlace *all = text.meaningAt(mark.text.data()))
          detail = all->first.front().type.empty() ? all->first.front().text
                                                   : all->first.front().type;
        break;
      }
    items.add(symbol.name, itemKindOf(symbol.kind), detail);
  }
  for (const auto &imported : text.imports)
    for (const Symbol &symbol : imported->marks->symbols)
      if (!symbol.container && symbol.kind != SymbolKind::Graph)
        items.add(symbol.name, itemKindOf(symbol.kind), "of " + imported->path);
}

void addCalls(Items &items) {
  for (const OpSignature &op : allOps())
    if ((!op.hasRegions || takesFunc(op)) && !isKeyword(op.name))
      items.add(op.name, kFunction, describe(op), op.summary);
  for (const TextCall &call : textCalls())
    items.add(call.name, kFunction, call.call, call.summary);
  for (const LibraryFunc &func : libraryFuncs())
    if (!func.isInternal)
      items.add(func.name, kFunction, func.call, func.summary);
  for (StringRef word : {"true", "false", "inf", "nan"})
    items.add(word, kConstant);
}

void addAttributes(Items &items) {
  for (const AttributeSignature &attribute : allAttributes())
    items.add(attribute.name, kConstructor, "", attribute.summary);
}

void addCases(const ArgumentSignature &argument, Items &items) {
  llvm::SmallVector<StringRef> cases;
  StringRef(argument.cases).split(cases, ',', -1, /*KeepEmpty=*/false);
  for (StringRef each : cases) {
    std::string quoted = ("\"" + each.split('=').first + "\"").str();
    items.add(quoted, kEnumMember);
  }
}

void addTypes(Items &items) {
  for (StringRef name : {"f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64",
                         "u8", "u16", "u32", "u64", "bool", "string"})
    items.add(name, kStruct);
}

void addArguments(llvm::ArrayRef<ArgumentSignature> arguments,
                  const Context &context, bool withExamples, Items &items) {
  for (const ArgumentSignature &each : arguments)
    if (each.kind != ArgumentKind::Operand &&
        !llvm::is_contained(context.given, each.name))
      items.add((each.name + "=").str(), kField,
                withExamples ? exampleOf(each.kind) : "", each.summary);
}

} // namespace

Json completion(const Analysis &text, const char *place) {
  Context context = contextAt(text, place);
  Items items(context.prefix);
  if (context.isName)
    return llvm::json::Array();
  if (context.isType) {
    addTypes(items);
    return std::move(items.all);
  }
  const OpSignature *op = findOp(context.callee);
  const AttributeSignature *attribute = findAttribute(context.callee);
  llvm::ArrayRef<ArgumentSignature> arguments;
  if (op)
    arguments = op->arguments;
  else if (attribute)
    arguments = attribute->parameters;
  const ArgumentSignature *argument =
      argumentOf(context.callee, context.argument, context.position);
  if (argument && argument->kind == ArgumentKind::Enumeration) {
    addCases(*argument, items);
    if (!context.argument.empty())
      return std::move(items.all);
  }
  if (argument && argument->kind == ArgumentKind::ElementType)
    addTypes(items);
  if (context.argument.empty()) {
    addArguments(arguments, context, op != nullptr, items);
    if (op)
      for (StringRef common : {"name=", "device=", "colocate_with="})
        items.add(common, kField);
  }
  ++items.rank;
  if (takesAttributes(argument) || context.isInList)
    addAttributes(items);
  ++items.rank;
  addNames(text, place, items);
  ++items.rank;
  addCalls(items);
  if (context.isStatement)
    for (StringRef word :
         {"import", "let", "dataset", "variable", "func", "graph", "for", "if",
          "scope", "device", "colocate", "average", "return"})
      items.add(word, kKeyword);
  return std::move(items.all);
}

Json signatureHelp(const Analysis &text, const char *place) {
  Context context = contextAt(text, place);
  std::string label, words;
  std::vector<std::pair<std::string, std::string>> parameters;
  if (const OpSignature *op = findOp(context.callee)) {
    label = describe(*op);
    words = op->summary;
    for (const ArgumentSignature &each : op->arguments)
      parameters.push_back({each.name.str(), each.summary.str()});
    if (takesFunc(*op))
      parameters.push_back({"f", "func that is the body"});
  } else if (const AttributeSignature *attribute =
                 findAttribute(context.callee)) {
    words = attribute->summary;
    label = context.callee + "(";
    for (const ArgumentSignature &each : attribute->parameters) {
      label += (parameters.empty() ? "" : ", ") + each.name.str();
      parameters.push_back({each.name.str(), each.summary.str()});
    }
    label += ")";
  } else if (const Symbol *symbol = text.marks->findGlobal(context.callee);
             symbol && symbol->kind == SymbolKind::Func) {
    label = context.callee + "(";
    for (const Declared &each : symbol->statement->declared) {
      label += (parameters.empty() ? "" : ", ") + each.name.str();
      parameters.push_back({each.name.str(), ""});
    }
    label += ")";
  } else if (const TextCall *call = findTextCall(context.callee)) {
    label = call->call;
    words = call->summary;
    // Its operands, between the brackets.
    llvm::SmallVector<StringRef> operands;
    StringRef(call->call)
        .drop_front(call->name.size() + 1)
        .drop_back()
        .split(operands, ", ");
    for (StringRef each : operands)
      parameters.push_back({each.str(), ""});
  } else if (const LibraryFunc *func = findLibraryFunc(context.callee)) {
    label = func->call;
    words = func->summary;
    for (const std::string &each : func->operands)
      parameters.push_back({each, ""});
  } else {
    return nullptr;
  }
  size_t active = context.position;
  llvm::json::Array list;
  for (auto [index, each] : llvm::enumerate(parameters)) {
    if (each.first == context.argument)
      active = index;
    list.push_back(llvm::json::Object{{"label", each.first},
                                      {"documentation", each.second}});
  }
  return llvm::json::Object{
      {"signatures",
       llvm::json::Array{llvm::json::Object{{"label", label},
                                            {"documentation", words},
                                            {"parameters", std::move(list)}}}},
      {"activeSignature", 0},
      {"activeParameter", static_cast<int64_t>(active)}};
}

} // namespace graphc::lsp
