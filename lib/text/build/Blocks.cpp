// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements of a graph that contain others.
#include "lib/text/build/GraphBuilder.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc::text {

void GraphBuilder::runFor(const TextStatement &statement) {
  if (isLoopCall(statement))
    return runLoop(statement);
  Item range = statement.end ? Item() : evaluate(statement.value);
  int64_t begin = 0, end = 0;
  if (statement.end) {
    std::optional<int64_t> first = integer(statement.value, "the first index");
    std::optional<int64_t> last = integer(statement.end, "the end of a range");
    if (!first || !last)
      return;
    begin = *first;
    end = *last;
  } else if (range.isConstant() &&
             range.constant.kind == Constant::Kind::List) {
    end = range.constant.elements.size();
  } else {
    if (!range.isError())
      error(statement.value->place) << "'for' counts through a range such as "
                                       "0..4, or a list, but this is "
                                    << describe(range);
    return;
  }
  for (int64_t i = begin; i < end; ++i) {
    if (session.diagnostics.hasTooMany() || !session.countWork(statement.place))
      return;
    bind(statement.name, Item::of(statement.end ? Constant::ofInteger(i)
                                                : range.constant.elements[i]));
    run(statement.body);
  }
}

void GraphBuilder::runIf(const TextStatement &statement) {
  // `if cond(c)`: of a choice at run time, only the side that is taken is done.
  const Expr *condition = statement.value;
  bool takesOne = condition->kind == ExprKind::Call &&
                  condition->text == "cond" && !lookup("cond");
  if (takesOne) {
    if (condition->arguments.size() != 1 ||
        !condition->arguments.front().name.empty()) {
      error(condition->place) << "'cond' takes one condition, as in 'if "
                                 "cond(x > 0) { }'";
      return;
    }
    condition = condition->arguments.front().value;
  }
  Item item = evaluate(condition);
  if (item.kind == Item::Kind::Values || item.kind == Item::Kind::Variable)
    return runChoice(statement, item, takesOne);
  std::optional<bool> holds = conditionOf(condition, item);
  if (holds)
    run(*holds ? statement.body : statement.otherwise);
}

void GraphBuilder::runScope(const TextStatement &statement) {
  std::optional<std::string> name = string(statement.value, "name of a scope");
  if (!name)
    return;
  std::string outer = prefix;
  prefix = scopeNames.take(prefix + *name) + "/";
  run(statement.body);
  prefix = outer;
}

void GraphBuilder::runColocate(const TextStatement &statement) {
  Item item = evaluate(statement.value);
  if (item.isError())
    return;
  Attribute outer = colocation;
  if (item.kind == Item::Kind::Variable) {
    colocation = item.symbol;
  } else if (item.isConstant() &&
             item.constant.kind == Constant::Kind::String) {
    colocation = b.getStringAttr(item.constant.text);
  } else {
    error(statement.value->place) << "expected a variable or the name of an "
                                     "operation in quotes, but this "
                                     "is "
                                  << describe(item);
    return;
  }
  run(statement.body);
  colocation = outer;
}

void GraphBuilder::runAverage(const TextStatement &statement) {
  bool outer = averages;
  averages = true;
  run(statement.body);
  averages = outer;
}

namespace {

/// Calls `visit` with each value that an item holds.
void forEachValue(Item &item, llvm::function_ref<void(Value &)> visit) {
  for (Value &value : item.values)
    visit(value);
  for (Item &element : item.elements)
    forEachValue(element, visit);
}

/// Makes the scope give `values`, in place of nothing.
tfir::DeviceOp withResults(tfir::DeviceOp scope, ValueRange values) {
  OpBuilder b(scope);
  auto result = tfir::DeviceOp::create(b, scope.getLoc(), TypeRange(values),
                                       scope.getSpec());
  result.getBody().takeBody(scope.getBody());
  scope.erase();
  return result;
}

} // namespace

void GraphBuilder::runDevice(const TextStatement &statement) {
  std::optional<std::string> spec = string(statement.value, "name of a device");
  if (!spec)
    return;
  auto scope = tfir::DeviceOp::create(b, locationOf(statement.place),
                                      TypeRange(), *spec);
  Reads outer = reads;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&scope.getBody().emplaceBlock());
    run(statement.body);
    if (statement.hasResults)
      giveWritten(statement, scope);
    else
      giveAll(scope);
  }
  // What was read inside has no value behind the scope, and what was updated
  // there has another one.
  Reads left;
  for (auto &[variable, value] : outer)
    if (reads.lookup(variable) == value)
      left[variable] = value;
  reads = std::move(left);
}

void GraphBuilder::giveWritten(const TextStatement &statement,
                               tfir::DeviceOp scope) {
  SmallVector<Value> values;
  for (const Declared &result : statement.results) {
    const Item *item = lookup(result.name);
    if (!item)
      error(result.place) << "the scope has no value '" << result.name
                          << "' to give"
                          << didYouMean(result.name, knownNames());
    Value value = item ? materialize(*item, result.place) : Value();
    if (!value)
      return;
    values.push_back(value);
  }
  Location location = scope.getLoc();
  tfir::YieldOp::create(b, location, values);
  scope = withResults(scope, values);
  // The other names mean nothing behind the scope.
  Region &inside = scope.getBody();
  frame->names.remove_if([&](auto &entry) {
    bool isInside = false;
    forEachValue(entry.second, [&](Value &value) {
      isInside |= inside.isAncestor(value.getParentRegion());
    });
    return isInside;
  });
  for (auto [result, value] : llvm::zip(statement.results, scope.getResults()))
    bind(result.name, Item::of(value));
}

void GraphBuilder::giveAll(tfir::DeviceOp scope) {
  SmallVector<Value *> names;
  llvm::SetVector<Value> values;
  auto collect = [&](Value &value) {
    if (!scope.getBody().isAncestor(value.getParentRegion()))
      return;
    names.push_back(&value);
    values.insert(value);
  };
  for (auto &[name, item] : frame->names)
    forEachValue(item, collect);
  for (Item &item : frame->returned)
    forEachValue(item, collect);
  tfir::YieldOp::create(b, scope.getLoc(), values.getArrayRef());
  if (values.empty())
    return;
  scope = withResults(scope, values.getArrayRef());
  llvm::DenseMap<Value, Value> results;
  for (auto [value, result] : llvm::zip(values, scope.getResults()))
    results[value] = result;
  for (Value *value : names)
    *value = results[*value];
  scopes.push_back(scope);
}

void GraphBuilder::removeUnusedResults() {
  // A scope is closed after those inside of it, whose results it may give.
  for (tfir::DeviceOp scope : llvm::reverse(scopes)) {
    Operation *yield = scope.getBody().front().getTerminator();
    SmallVector<Value> values, results;
    for (auto [value, result] :
         llvm::zip(yield->getOperands(), scope.getResults()))
      if (!result.use_empty()) {
        values.push_back(value);
        results.push_back(result);
      }
    if (values.size() == scope.getNumResults())
      continue;
    yield->setOperands(values);
    OpBuilder builder(scope);
    auto smaller =
        tfir::DeviceOp::create(builder, scope.getLoc(),
                               TypeRange(ValueRange(values)), scope.getSpec());
    for (auto [old, result] : llvm::zip(results, smaller.getResults()))
      old.replaceAllUsesWith(result);
    smaller.getBody().takeBody(scope.getBody());
    scope.erase();
  }
}

} // namespace graphc::text
