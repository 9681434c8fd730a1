// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops as blocks: `for x in scan(xs, carry=[h], stack=[y]) { }`.
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Attributes.h"
#include "lib/text/print/GraphPrinter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc::text {

std::string GraphPrinter::freshName() {
  return "_" + std::to_string(counter++);
}

/// Gives the names their next values at once, since one may be made of another.
void GraphPrinter::printNext(ArrayRef<std::string> carried, ValueRange values) {
  std::vector<std::string> targets, sources;
  for (auto [name, value] : llvm::zip(carried, values)) {
    std::string source = nameOf(value);
    if (source == name)
      continue;
    targets.push_back(name);
    sources.push_back(std::move(source));
  }
  if (targets.empty())
    return;
  std::string list = llvm::join(sources, ", ");
  line(llvm::join(targets, ", ") + " = " +
       (targets.size() > 1 ? "[" + list + "]" : list));
}

/// Arguments that any op may have: `, name="h"`.
FailureOr<std::string> GraphPrinter::commonArguments(Operation *op) {
  std::string common;
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef key = attribute.getName();
    bool isCommon =
        (key == "name" || key == "device" || key == "colocate_with") &&
        isa<StringAttr>(attribute.getValue());
    if (!isCommon)
      return op->emitOpError()
             << "has '" << key << "', which a text cannot have";
    common += ", " + key.str() + "=" +
              printAttribute(attribute.getValue(), ArgumentKind::String);
  }
  return common;
}

LogicalResult GraphPrinter::printLoop(tfir::ScanOp loop) {
  flush();
  FailureOr<std::string> common = commonArguments(loop);
  if (failed(common))
    return failure();
  std::vector<std::string> inputs, carried, stacked;
  for (Value input : loop.getInputs())
    inputs.push_back(nameOf(input));
  for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getCarried())) {
    carried.push_back(freshName());
    line(carried.back() + " = " + nameOf(init));
    names[argument] = carried.back();
  }
  size_t outputs = loop.getNumResults() - carried.size();
  for (size_t i = 0; i < outputs; ++i)
    stacked.push_back(freshName());
  std::string each = freshName();
  std::string head = "for " + each + " in ";
  if (inputs.empty())
    head += "repeat(" + std::to_string(loop.countSteps());
  else if (inputs.size() == 1)
    head += "scan(" + inputs.front();
  else
    head += "scan([" + llvm::join(inputs, ", ") + "]";
  if (!carried.empty())
    head += ", carry=[" + llvm::join(carried, ", ") + "]";
  if (!stacked.empty())
    head += ", stack=[" + llvm::join(stacked, ", ") + "]";
  names[loop.getNumber()] = each;
  if (!inputs.empty() && !loop.getNumber().use_empty()) {
    names[loop.getNumber()] = freshName();
    head += ", number=" + names[loop.getNumber()];
  }
  for (auto [index, slice] : llvm::enumerate(loop.getSlices()))
    names[slice] =
        inputs.size() == 1 ? each : each + "[" + std::to_string(index) + "]";
  line(head + *common + ") {");
  ++depth;
  llvm::StringMap<Operation *> outer = std::move(reads);
  reads.clear();
  if (failed(printBlock(loop.getBlock())))
    return failure();
  OperandRange yielded = loop.getBlock().getTerminator()->getOperands();
  for (auto [name, value] :
       llvm::zip(stacked, yielded.drop_front(carried.size())))
    line(name + " = " + nameOf(value));
  printNext(carried, yielded);
  --depth;
  line("}");
  reads = std::move(outer);
  loop.getBody().walk([&](Operation *inner) { noteUpdates(inner); });
  llvm::append_range(carried, stacked);
  for (auto [result, name] : llvm::zip(loop.getResults(), carried))
    names[result] = name;
  return success();
}

/// The condition of a loop as one expression.
FailureOr<std::string> GraphPrinter::printCondition(tfir::WhileOp loop) {
  Block &block = loop.getCondition().front();
  Value holds = block.getTerminator()->getOperand(0);
  if (auto constant = holds.getDefiningOp<tfir::ConstOp>())
    return cast<DenseElementsAttr>(constant.getValue()).getSplatValue<bool>()
               ? std::string("true")
               : std::string("false");
  if (isa<BlockArgument>(holds) && llvm::hasSingleElement(block))
    return names[holds];
  size_t before = text.size();
  longestInside = std::string::npos;
  for (Operation &op : block.without_terminator())
    if (failed(printOp(&op)))
      return failure();
  longestInside = kLongestInside;
  if (text.size() != before || pending.size() != 1 ||
      pending.back().op != holds.getDefiningOp())
    return loop.emitOpError()
           << "has a condition that is no one expression, as in a text it is; "
              "compute a bool in the body, and carry it";
  std::string condition = pending.back().expression.text;
  pending.clear();
  return condition;
}

LogicalResult GraphPrinter::printWhile(tfir::WhileOp loop) {
  flush();
  FailureOr<std::string> common = commonArguments(loop);
  if (failed(common))
    return failure();
  std::vector<std::string> carried;
  for (Value init : loop.getInits()) {
    carried.push_back(freshName());
    line(carried.back() + " = " + nameOf(init));
  }
  std::string number = freshName();
  for (Region *region : {&loop.getCondition(), &loop.getBody()}) {
    names[region->getArgument(0)] = number;
    for (auto [argument, name] : llvm::zip(loop.getCarried(*region), carried))
      names[argument] = name;
    for (auto [argument, value] :
         llvm::zip(loop.getCaptured(*region), loop.getCaptures()))
      names[argument] = nameOf(value);
  }
  FailureOr<std::string> condition = printCondition(loop);
  if (failed(condition))
    return failure();
  line("for " + number + " in while(" + *condition + ", carry=[" +
       llvm::join(carried, ", ") +
       "], limit=" + std::to_string(loop.getLimit()) + *common + ") {");
  ++depth;
  if (failed(printBlock(loop.getBody().front())))
    return failure();
  printNext(carried, loop.getBody().front().getTerminator()->getOperands());
  --depth;
  line("}");
  for (auto [result, name] : llvm::zip(loop.getResults(), carried))
    names[result] = name;
  return success();
}

} // namespace graphc::text
