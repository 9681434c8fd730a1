// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements of a graph that bind names and update variables, and its fetches;
// Blocks.cpp has those that contain others.
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"
#include "lib/text/build/Variables.h"
#include "lib/text/syntax/Lexer.h"

using namespace mlir;

namespace graphc::text {

GraphBuilder::GraphBuilder(BuildState &session, tfir::GraphOp graph)
    : Evaluator(session), graph(graph),
      b(OpBuilder::atBlockEnd(&graph.getBlock())) {}

void GraphBuilder::build(const TextStatement &statement) {
  Frame own;
  frame = &own;
  addFeeds(statement);
  run(statement.body);
  addFetches(statement);
  removeUnusedResults();
}

const Item *GraphBuilder::lookup(StringRef name) const {
  auto found = frame->names.find(name);
  if (found != frame->names.end())
    return &found->second;
  // Declarations of the text are hidden from funcs of the library.
  return frame->isLibrary ? nullptr : Evaluator::lookup(name);
}

std::vector<std::string> GraphBuilder::knownNames() const {
  std::vector<std::string> names = Evaluator::knownNames();
  for (auto &[name, item] : frame->names)
    names.push_back(name.str());
  return names;
}

Location GraphBuilder::locationOf(const char *place) const {
  // To the user, a func of the library is as an operation.
  if (frame->isLibrary)
    return *frame->caller;
  Location location = Evaluator::locationOf(place);
  return frame->caller ? CallSiteLoc::get(location, *frame->caller) : location;
}

void GraphBuilder::run(ArrayRef<TextStatement *> body) {
  for (const TextStatement *statement : body) {
    if (session.diagnostics.hasTooMany() || frame->hasReturned ||
        !session.countWork(statement->place))
      return;
    runStatement(*statement);
  }
}

void GraphBuilder::runStatement(const TextStatement &statement) {
  switch (statement.kind) {
  case StatementKind::Let:
    return runLet(statement);
  case StatementKind::Variable:
    return runVariable(statement);
  case StatementKind::For:
    return runFor(statement);
  case StatementKind::If:
    return runIf(statement);
  case StatementKind::Scope:
    return runScope(statement);
  case StatementKind::Device:
    return runDevice(statement);
  case StatementKind::Colocate:
    return runColocate(statement);
  case StatementKind::Average:
    return runAverage(statement);
  case StatementKind::Assign:
    return runAssign(statement);
  case StatementKind::Update:
    return runUpdate(statement);
  case StatementKind::Return:
    return runReturn(statement);
  case StatementKind::Call:
    if (!runRowUpdate(statement.value))
      evaluate(statement.value);
    return;
  case StatementKind::Import:
  case StatementKind::Dataset:
  case StatementKind::Func:
  case StatementKind::Graph:
    error(statement.place) << "this stands outside of graphs only; move it in "
                              "front of the graph";
  }
}

void GraphBuilder::bind(StringRef name, Item item) {
  session.observeName(name.data(), item);
  frame->names[name] = std::move(item);
}

bool GraphBuilder::canBind(const Declared &target) {
  auto found = session.globals.find(target.name);
  if (found == session.globals.end() || frame->isLibrary ||
      frame->names.contains(target.name))
    return true;
  if (found->second.kind == Item::Kind::Error)
    return true;
  InFlightDiagnostic diagnostic = error(target.place);
  diagnostic << "'" << target.name << "' is " << describe(found->second)
             << " already; ";
  if (found->second.kind == Item::Kind::Variable)
    diagnostic << "assign it by '" << target.name
               << " := ...', or take another name";
  else
    diagnostic << "take another name";
  return false;
}

void GraphBuilder::runLet(const TextStatement &statement) {
  Item item = evaluate(statement.value);
  if (!item.isError() && !item.isConstant() && item.kind != Item::Kind::Raw) {
    error(statement.value->place)
        << "'let' names what is known when compiling, but this is "
        << describe(item) << "; write '" << statement.name << " = ...'";
    item = Item();
  }
  if (canBind({statement.place, statement.name, nullptr}))
    bind(statement.name, std::move(item));
}

void GraphBuilder::runVariable(const TextStatement &statement) {
  OpBuilder outside(graph);
  bind(statement.name,
       declareVariable(session, *this, statement, prefix, outside, &declared));
}

Item GraphBuilder::checkType(const Declared &target, Item item) {
  if (!target.type || item.isError())
    return item;
  RankedTensorType wanted = type(target.type);
  Value value = wanted ? materialize(item, target.place) : Value();
  if (!value)
    return {};
  if (value.getType() == wanted)
    return Item::of(value);
  error(target.place) << "'" << target.name << "' is "
                      << printType(cast<RankedTensorType>(value.getType()))
                      << ", but " << printType(wanted)
                      << " is written; leave the type out, or reshape or cast "
                         "the value";
  return {};
}

void GraphBuilder::bindTargets(const TextStatement &statement, Item item) {
  ArrayRef<Declared> targets = statement.declared;
  if (item.isError()) {
    for (const Declared &target : targets)
      bind(target.name, {});
    return;
  }
  if (targets.size() > 1 &&
      (item.kind == Item::Kind::List || item.kind == Item::Kind::Array)) {
    if (item.elements.size() < targets.size()) {
      error(statement.place)
          << targets.size() << " names for " << item.elements.size()
          << " values; leave names out";
      return;
    }
    for (auto [target, element] : llvm::zip(targets, item.elements))
      bind(target.name, checkType(target, element));
    return;
  }
  size_t count = item.kind == Item::Kind::Values ? item.values.size() : 1;
  if (count < targets.size()) {
    error(statement.place) << targets.size() << " names for "
                           << (count == 0 ? "a call without results"
                                          : describe(item) + " alone")
                           << "; leave names out";
    for (const Declared &target : targets)
      bind(target.name, {});
    return;
  }
  if (item.kind != Item::Kind::Values) {
    bind(targets[0].name, checkType(targets[0], std::move(item)));
    return;
  }
  for (auto [target, value] : llvm::zip(targets, item.values))
    bind(target.name, checkType(target, Item::of(value)));
}

void GraphBuilder::runAssign(const TextStatement &statement) {
  const Declared &first = statement.declared.front();
  for (const Declared &target : statement.declared)
    if (!canBind(target))
      return;
  Wanted wanted{first.name.starts_with("_") ? "" : first.name,
                statement.declared};
  Item item = evaluate(statement.value, wanted);
  switch (item.kind) {
  case Item::Kind::Constant: {
    RankedTensorType written = first.type ? type(first.type) : nullptr;
    Value value;
    if (written)
      value =
          makeConstant(item.constant, written, statement.value->place, wanted);
    else if (!first.type)
      value = materialize(item, statement.value->place, {}, wanted);
    item = value ? Item::of(value) : Item();
    break;
  }
  case Item::Kind::Variable: {
    Value value = readVariable(item, statement.value->place);
    item = value ? Item::of(value) : Item();
    break;
  }
  case Item::Kind::Dataset:
  case Item::Kind::Element:
  case Item::Kind::Func:
  case Item::Kind::Raw:
    error(statement.value->place) << describe(item)
                                  << " is no value; name it by 'let', or use "
                                     "it where it stands";
    item = Item();
    break;
  default:
    break;
  }
  bindTargets(statement, std::move(item));
}

void GraphBuilder::runUpdate(const TextStatement &statement) {
  Item target = evaluate(statement.target);
  if (target.isError()) {
    evaluate(statement.value);
    return;
  }
  if (target.kind != Item::Kind::Variable) {
    error(statement.target->place)
        << "only variables are updated, but this is " << describe(target)
        << "; write '=' to give a value a name";
    return;
  }
  auto wanted = cast<RankedTensorType>(target.types.front());
  Item item = evaluate(statement.value);
  if (item.isError())
    return;
  Value value = item.isConstant()
                    ? makeConstant(item.constant, wanted, statement.place)
                    : materialize(item, statement.value->place);
  if (!value)
    return;
  StringRef name = statement.text == ":="   ? "assign"
                   : statement.text == "+=" ? "assign_add"
                                            : "assign_sub";
  Call call(findOp(name), statement.place, Operands{{Item::of(value)}});
  call.attributes.push_back(
      b.getNamedAttr("variable", FlatSymbolRefAttr::get(target.symbol)));
  if (value.getType() != wanted) {
    InFlightDiagnostic diagnostic = error(statement.place);
    std::string given = printType(cast<RankedTensorType>(value.getType()));
    diagnostic << "the variable '" << target.symbol.getValue() << "' is "
               << printType(wanted) << ", but the value is " << given
               << "; reshape or cast the value, or declare the variable as "
               << given;
    diagnostic.attachNote(value.getLoc()) << "the value is computed here";
    return;
  }
  makeCall(call, {});
}

void GraphBuilder::runReturn(const TextStatement &statement) {
  for (auto [index, argument] : llvm::enumerate(statement.arguments)) {
    Wanted wanted;
    wanted.name = index == 0 ? StringRef(frame->resultName) : "";
    wanted.isWhole = true;
    frame->returned.push_back(evaluate(argument.value, wanted));
  }
  frame->hasReturned = true;
}

//===-- Feeds and fetches -------------------------------------------------===//

void GraphBuilder::addFeeds(const TextStatement &statement) {
  std::vector<std::string> names;
  for (const Declared &feed : statement.declared) {
    RankedTensorType feedType = feed.type ? type(feed.type) : nullptr;
    if (!feed.type)
      error(feed.place) << "the feed '" << feed.name
                        << "' needs a type; write '" << feed.name
                        << ": f32[?, 10]'";
    names.push_back(nameIn(feed.name));
    if (!feedType) {
      bind(feed.name, {});
      continue;
    }
    bind(feed.name, Item::of(graph.getBlock().addArgument(
                        feedType, locationOf(feed.place))));
  }
  graph.setFeedNamesAttr(
      b.getStrArrayAttr(SmallVector<StringRef>(names.begin(), names.end())));
}

void GraphBuilder::addFetches(const TextStatement &statement) {
  ArrayRef<Declared> fetches = statement.results;
  SmallVector<Value> values;
  std::vector<std::string> names;
  SmallVector<Type> types;
  if (frame->hasReturned && frame->returned.size() != fetches.size()) {
    error(statement.place) << "the graph '" << statement.name << "' returns "
                           << frame->returned.size() << " values for "
                           << fetches.size()
                           << " fetches; each has one, in their order";
    return;
  }
  for (auto [index, fetch] : llvm::enumerate(fetches)) {
    Item item;
    if (frame->hasReturned) {
      item = frame->returned[index];
    } else if (const Item *found = lookup(fetch.name)) {
      item = *found;
    } else if (session.diagnostics.hasErrors()) {
      // What would have bound it has been reported, most likely.
      continue;
    } else {
      error(fetch.place) << "the graph '" << statement.name
                         << "' has no value '" << fetch.name << "' to fetch"
                         << adviceFor(fetch.name);
      continue;
    }
    Value value = materialize(item, fetch.place);
    if (!value)
      continue;
    if (fetch.type)
      checkType(fetch, Item::of(value));
    values.push_back(value);
    names.push_back(nameIn(fetch.name));
    types.push_back(value.getType());
  }
  graph.setFetchNamesAttr(
      b.getStrArrayAttr(SmallVector<StringRef>(names.begin(), names.end())));
  graph.setFetchTypesAttr(b.getTypeArrayAttr(types));
  tfir::ReturnOp::create(b, locationOf(statement.place), values);
}

} // namespace graphc::text
