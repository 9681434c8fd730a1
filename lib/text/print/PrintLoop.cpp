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

LogicalResult GraphPrinter::printLoop(tfir::ScanOp loop) {
  flush();
  std::string common;
  for (NamedAttribute attribute : loop->getDiscardableAttrs()) {
    StringRef key = attribute.getName();
    bool isCommon =
        (key == "name" || key == "device" || key == "colocate_with") &&
        isa<StringAttr>(attribute.getValue());
    if (!isCommon)
      return loop.emitOpError()
             << "has '" << key << "', which a text cannot have";
    common += ", " + key.str() + "=" +
              printAttribute(attribute.getValue(), ArgumentKind::String);
  }
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
  line(head + common + ") {");
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

} // namespace graphc::text
