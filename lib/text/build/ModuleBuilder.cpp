// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/build/ModuleBuilder.h"

#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"
#include "lib/text/build/Variables.h"
#include "lib/text/syntax/Lexer.h"
#include "lib/text/syntax/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace graphc::text {

ModuleBuilder::ModuleBuilder(BuildState &session, const Definitions &given)
    : Evaluator(session) {
  for (const auto &[name, value] : given)
    definitions.push_back({name, value});
}

/// The path of a file without links; of what is no file, as it is.
static std::string realPath(StringRef path) {
  SmallString<128> whole;
  return llvm::sys::fs::real_path(path, whole) ? path.str() : whole.str().str();
}

void ModuleBuilder::build(StringRef source, StringRef file) {
  session.diagnostics.addSource(source, file);
  sources.push_back(std::make_unique<Source>());
  Tree &tree = sources.back()->tree;
  parseTree(source, session.diagnostics, tree);
  if (sources.size() == 1)
    moduleName =
        tree.name.starts_with("\"") ? unescape(tree.name) : tree.name.str();
  // An import of this text, in a circle, is none.
  imported.insert(realPath(file));
  std::string outer = std::move(folder);
  folder = llvm::sys::path::parent_path(file).str();
  run(tree.statements);
  folder = std::move(outer);
}

void ModuleBuilder::checkDefinitions(const char *place) {
  for (const Definition &definition : definitions)
    if (!definition.isUsed)
      error(place) << "--define=" << definition.name << "=" << definition.value
                   << ": this text has no constant '" << definition.name
                   << "'; write 'let " << definition.name << " = ...' in it";
}

void ModuleBuilder::run(ArrayRef<TextStatement *> body) {
  for (const TextStatement *statement : body) {
    if (session.diagnostics.hasTooMany() ||
        !session.countWork(statement->place))
      return;
    runStatement(*statement);
  }
}

void ModuleBuilder::runStatement(const TextStatement &statement) {
  switch (statement.kind) {
  case StatementKind::Import:
    return runImport(statement);
  case StatementKind::Let:
    return runLet(statement);
  case StatementKind::Dataset:
    return runDataset(statement);
  case StatementKind::Variable:
    return define(statement.name, statement.place,
                  declareVariable(session, *this, statement, "",
                                  session.builder, nullptr));
  case StatementKind::Func: {
    Item func;
    func.kind = Item::Kind::Func;
    func.func = &statement;
    return define(statement.name, statement.place, std::move(func));
  }
  case StatementKind::Graph:
    return runGraph(statement);
  case StatementKind::For:
    return runFor(statement);
  case StatementKind::If:
    if (std::optional<bool> holds = condition(statement.value))
      run(*holds ? statement.body : statement.otherwise);
    return;
  case StatementKind::Call:
    return runCall(statement);
  case StatementKind::Assign:
    error(statement.place) << "values belong into a graph; a constant is named "
                              "by 'let "
                           << statement.declared.front().name << " = ...'";
    return;
  default:
    error(statement.place) << "this belongs into a graph or a func";
  }
}

void ModuleBuilder::define(StringRef name, const char *place, Item item) {
  auto [entry, isNew] = places.try_emplace(name, place);
  if (isNew || entry->second == place) {
    session.observeName(name.data(), item);
    session.globals[name] = std::move(item);
    return;
  }
  InFlightDiagnostic diagnostic = error(place);
  diagnostic << "'" << name << "' is defined twice; rename one of them";
  diagnostic.attachNote(locationOf(entry->second)) << "defined here";
}

void ModuleBuilder::runImport(const TextStatement &statement) {
  std::optional<std::string> name = string(statement.value, "file to import");
  if (!name)
    return;
  SmallString<128> path(*name);
  if (llvm::sys::path::is_relative(path) && !folder.empty()) {
    path = folder;
    llvm::sys::path::append(path, *name);
  }
  if (!imported.insert(realPath(path)).second)
    return;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    error(statement.value->place)
        << "cannot read '" << path << "': " << buffer.getError().message()
        << "; imports are found beside the text that names them";
    return;
  }
  StringRef text = (*buffer)->getBuffer();
  if (!isText(text)) {
    error(statement.value->place)
        << "'" << path
        << "' is no text of this language; it begins with 'tfir 1'";
    return;
  }
  sources.push_back(std::make_unique<Source>());
  sources.back()->buffer = std::move(*buffer);
  build(text, path);
}

void ModuleBuilder::runLet(const TextStatement &statement) {
  for (Definition &definition : definitions) {
    if (definition.name != statement.name)
      continue;
    definition.isUsed = true;
    sources.push_back(std::make_unique<Source>());
    Source &source = *sources.back();
    source.buffer = llvm::MemoryBuffer::getMemBufferCopy(
        "tfir 1\nlet value = " + definition.value + "\n");
    session.diagnostics.addSource(source.buffer->getBuffer(), "--define");
    parseTree(source.buffer->getBuffer(), session.diagnostics, source.tree);
    if (source.tree.statements.size() == 1)
      define(statement.name, statement.place,
             evaluate(source.tree.statements.front()->value));
    return;
  }
  Item item = evaluate(statement.value);
  if (!item.isError() && !item.isConstant() && item.kind != Item::Kind::Raw &&
      item.kind != Item::Kind::List) {
    error(statement.value->place)
        << "'let' names what is known when compiling, but this is "
        << describe(item);
    item = Item();
  }
  define(statement.name, statement.place, std::move(item));
}

void ModuleBuilder::runDataset(const TextStatement &statement) {
  std::string name = statement.name.starts_with("\"") ? unescape(statement.name)
                                                      : statement.name.str();
  Item dataset;
  std::vector<std::string> fieldNames;
  SmallVector<Type> types;
  bool good = true;
  for (const Declared &field : statement.declared) {
    RankedTensorType fieldType = field.type ? type(field.type) : nullptr;
    if (!field.type)
      error(field.place) << "the field '" << field.name
                         << "' needs a type; write '" << field.name
                         << ": f32[28, 28]'";
    good &= fieldType != nullptr;
    if (!fieldType)
      continue;
    fieldNames.push_back(nameIn(field.name));
    types.push_back(fieldType);
    SmallVector<int64_t> batch = {ShapedType::kDynamic};
    llvm::append_range(batch, fieldType.getShape());
    dataset.types.push_back(
        RankedTensorType::get(batch, fieldType.getElementType()));
  }
  Builder b(&session.context());
  OperationState state(locationOf(statement.place),
                       tfir::DatasetOp::getOperationName());
  state.addAttribute("sym_name", b.getStringAttr(name));
  state.addAttribute("field_names", b.getStrArrayAttr(SmallVector<StringRef>(
                                        fieldNames.begin(), fieldNames.end())));
  state.addAttribute("field_types", b.getTypeArrayAttr(types));
  good &= addSettings(session, *this, statement.arguments, *findOp("dataset"),
                      state);
  if (good && declare(session, session.builder, state)) {
    dataset.kind = Item::Kind::Dataset;
    dataset.symbol = b.getStringAttr(name);
  }
  define(statement.name, statement.place, std::move(dataset));
}

void ModuleBuilder::runGraph(const TextStatement &statement) {
  if (!places.try_emplace(("graph " + statement.name).str(), statement.place)
           .second) {
    error(statement.place) << "there are two graphs '" << statement.name
                           << "'; rename one of them";
    return;
  }
  Builder b(&session.context());
  auto graph = tfir::GraphOp::create(
      session.builder, locationOf(statement.place), nameIn(statement.name),
      b.getArrayAttr({}), b.getArrayAttr({}), b.getArrayAttr({}));
  graph.getBody().emplaceBlock();
  GraphBuilder(session, graph).build(statement);
}

void ModuleBuilder::runFor(const TextStatement &statement) {
  auto begin = integer(statement.value, "the first index");
  auto end = statement.end ? integer(statement.end, "the end of a range")
                           : std::nullopt;
  if (!statement.end && begin)
    error(statement.value->place) << "expected a range such as 0..4";
  if (!begin || !end)
    return;
  for (int64_t i = *begin; i < *end; ++i) {
    if (session.diagnostics.hasTooMany() || !session.countWork(statement.place))
      return;
    session.globals[statement.name] = Item::of(Constant::ofInteger(i));
    run(statement.body);
  }
  session.globals.erase(statement.name);
}

void ModuleBuilder::runCall(const TextStatement &statement) {
  const Expr &call = *statement.value;
  const OpSignature *signature = findOp(call.text);
  if (!signature || signature->results > 0 || signature->hasRegions) {
    error(call.place) << "'" << call.text << "' belongs into a graph";
    return;
  }
  OperationState state(locationOf(call.place), "tfir." + signature->name.str());
  bool good = true;
  for (auto [index, argument] : llvm::enumerate(call.arguments)) {
    const ArgumentSignature *known = argument.name.empty()
                                         ? index < signature->arguments.size()
                                               ? &signature->arguments[index]
                                               : nullptr
                                         : signature->find(argument.name);
    if (!known || known->kind == ArgumentKind::Operand) {
      error(argument.value->place)
          << "no such argument; it is called as " << describe(*signature);
      return;
    }
    bool isGood = true;
    Attribute value =
        attribute(argument.value, *known, signature->name, isGood);
    good &= isGood;
    if (value)
      state.addAttribute(known->name, value);
  }
  if (good)
    declare(session, session.builder, state);
}

} // namespace graphc::text
