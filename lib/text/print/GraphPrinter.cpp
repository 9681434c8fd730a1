// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order, names and blocks; PrintExpression.cpp has the expressions.
#include "lib/text/print/GraphPrinter.h"

#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Types.h"
#include "lib/text/syntax/Lexer.h"

using namespace mlir;

namespace graphc::text {

void GraphPrinter::line(const Twine &statement) {
  text.append(2 * depth, ' ');
  text += statement.str();
  text += "\n";
}

bool GraphPrinter::canBind(StringRef name) {
  return isPlainName(name) && !name.starts_with("_") &&
         !globals.contains(name) && !taken.contains(name);
}

bool GraphPrinter::usesOwnName(Operation *op) {
  StringAttr name = tfir::getNodeName(op);
  return name && op->getNumResults() > 0 && canBind(name.getValue());
}

std::string GraphPrinter::bindName(Operation *op) {
  std::string name = usesOwnName(op) ? tfir::getNodeName(op).getValue().str()
                                     : "_" + std::to_string(counter++);
  taken.insert(name);
  return name;
}

LogicalResult GraphPrinter::print(tfir::GraphOp graph) {
  for (NamedAttribute attribute : graph->getAttrs())
    if (!llvm::is_contained(
            {"sym_name", "feed_names", "fetch_names", "fetch_types"},
            attribute.getName()))
      return graph.emitOpError() << "has '" << attribute.getName()
                                 << "', which a text cannot have; texts end "
                                    "where phase 'parsed' begins";
  std::string head = "graph " + printName(graph.getSymName()) + "(";
  StringRef separator;
  for (auto [name, feed] :
       llvm::zip(graph.getFeedNames().getAsRange<StringAttr>(),
                 graph.getBlock().getArguments())) {
    if (!isPlainName(name.getValue()))
      return graph.emitOpError()
             << "has the feed " << name << ", whose name a text cannot have";
    head += separator.str() + name.getValue().str() + ": " +
            printType(cast<RankedTensorType>(feed.getType()));
    names[feed] = name.getValue().str();
    taken.insert(name.getValue());
    separator = ", ";
  }
  head += ") -> (";
  separator = "";
  for (auto name : graph.getFetchNames().getAsRange<StringAttr>()) {
    if (!isPlainName(name.getValue()))
      return graph.emitOpError()
             << "has the fetch " << name << ", whose name a text cannot have";
    head += separator.str() + name.getValue().str();
    separator = ", ";
  }
  line(head + ") {");
  ++depth;
  if (failed(printBlock(graph.getBlock())))
    return failure();
  // Without 'return' each fetch is the value of its name.
  bool isNamed = true;
  std::string values;
  ValueRange fetches = graph.getReturn().getValues();
  for (auto [name, value] :
       llvm::zip(graph.getFetchNames().getAsRange<StringAttr>(), fetches)) {
    std::string bound = nameOf(value);
    isNamed &= bound == name.getValue();
    values += (values.empty() ? "" : ", ") + bound;
  }
  if (!isNamed)
    line("return " + values);
  --depth;
  line("}");
  return success();
}

LogicalResult GraphPrinter::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(printOp(&op)))
      return failure();
  flush();
  return success();
}

LogicalResult GraphPrinter::printOp(Operation *op) {
  if (auto scope = dyn_cast<tfir::DeviceOp>(op))
    return printScope(scope);
  if (auto loop = dyn_cast<tfir::ScanOp>(op))
    return printLoop(loop);
  if (auto loop = dyn_cast<tfir::WhileOp>(op))
    return printWhile(loop);
  if (isa<tfir::IfOp, tfir::CondOp>(op))
    return printChoice(op);
  if (auto recompute = dyn_cast<tfir::RecomputeOp>(op))
    return printRecompute(recompute);
  if (auto gradient = dyn_cast<tfir::CustomGradientOp>(op))
    return printCustomGradient(gradient);
  FailureOr<Expression> expression = printExpression(op);
  if (failed(expression))
    return failure();
  if (mayStandInside(op) && expression->text.size() <= longestInside) {
    pending.push_back({op, std::move(*expression)});
    return success();
  }
  flush();
  emit(op, *expression);
  noteUpdates(op);
  return success();
}

void GraphPrinter::noteUpdates(Operation *op) {
  if (auto access = dyn_cast<tfir::VariableAccess>(op)) {
    SmallVector<FlatSymbolRefAttr> variables = access.getVariables();
    variables.truncate(access.getNumUpdated());
    for (FlatSymbolRefAttr updated : variables)
      reads.erase(updated.getValue());
    return;
  }
  if (op->hasTrait<tfir::ReplacedByGradients>() && op->getNumResults() == 0)
    reads.clear();
}

void GraphPrinter::flush() {
  SmallVector<Pending> statements = std::move(pending);
  pending.clear();
  for (Pending &each : statements)
    emit(each.op, each.expression);
}

void GraphPrinter::emit(Operation *op, const Expression &expression) {
  std::string targets;
  bool isTyped = needsTypes(op) || isa<tfir::ConstOp>(op);
  // Results that nobody uses need no name at the end.
  size_t count = op->getNumResults();
  while (!isTyped && !hasCountedResults(op) && count > 1 &&
         op->getResult(count - 1).use_empty())
    --count;
  for (size_t i = 0; i < count; ++i) {
    Value result = op->getResult(i);
    std::string name = bindName(op);
    names[result] = name;
    targets += (i > 0 ? ", " : "") + name;
    if (isTyped)
      targets += ": " + printType(cast<RankedTensorType>(result.getType()));
  }
  line(targets.empty() ? expression.text : targets + " = " + expression.text);
}

std::string GraphPrinter::nameOf(Value value) {
  auto found = names.find(value);
  if (found == names.end()) {
    flush();
    found = names.find(value);
  }
  return found == names.end() ? "_" : found->second;
}

LogicalResult GraphPrinter::printScope(tfir::DeviceOp scope) {
  flush();
  for (NamedAttribute attribute : scope->getAttrs())
    if (attribute.getName() != "spec")
      return scope.emitOpError()
             << "has '" << attribute.getName() << "', which a text cannot have";
  Block &body = scope.getBody().front();
  std::string head = "device " + quote(scope.getSpec());
  size_t at = text.size();
  llvm::StringMap<Operation *> outer = reads;
  ++depth;
  if (failed(printBlock(body)))
    return failure();
  std::string results;
  llvm::StringSet<> given;
  for (auto [value, result] :
       llvm::zip(body.getTerminator()->getOperands(), scope.getResults())) {
    std::string name = nameOf(value);
    // What is given twice, or comes from outside, gets a name of its own.
    bool isOutside = !scope.getBody().isAncestor(value.getParentRegion());
    if (isOutside || !given.insert(name).second) {
      std::string alias = "_" + std::to_string(counter++);
      line(alias + " = " + name);
      name = alias;
    }
    names[result] = name;
    results += (results.empty() ? "" : ", ") + name;
  }
  --depth;
  llvm::StringMap<Operation *> left;
  for (auto &[variable, read] : outer)
    if (reads.lookup(variable) == read)
      left[variable] = read;
  reads = std::move(left);
  head += " -> (" + results + ") {\n";
  text.insert(at, std::string(2 * depth, ' ') + head);
  line("}");
  return success();
}

} // namespace graphc::text
