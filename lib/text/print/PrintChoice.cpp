// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices as blocks: `if c { y = a } else { y = b }`, `if cond(c) { }`.
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Attributes.h"
#include "lib/text/print/GraphPrinter.h"

using namespace mlir;

namespace graphc::text {

LogicalResult GraphPrinter::printChoice(Operation *choice) {
  flush();
  auto takesOne = dyn_cast<tfir::CondOp>(choice);
  auto colocation =
      takesOne
          ? dyn_cast_if_present<StringAttr>(tfir::getColocationAttr(choice))
          : StringAttr();
  for (NamedAttribute attribute : choice->getDiscardableAttrs())
    if (attribute.getValue() != colocation)
      return choice->emitOpError() << "has '" << attribute.getName().getValue()
                                   << "', which a text cannot have";
  if (colocation) {
    line("colocate " + printAttribute(colocation, ArgumentKind::String) + " {");
    ++depth;
  }
  std::string condition = nameOf(choice->getOperand(0));
  line("if " + (takesOne ? "cond(" + condition + ")" : condition) + " {");
  SmallVector<std::string> results;
  for (size_t i = 0; i < choice->getNumResults(); ++i)
    results.push_back(freshName());
  llvm::StringMap<Operation *> outer = reads;
  for (auto [index, body] : llvm::enumerate(choice->getRegions())) {
    // Captured values of a tfir.cond.
    for (auto [argument, value] :
         llvm::zip(body.getArguments(), choice->getOperands().drop_front()))
      names[argument] = nameOf(value);
    reads = outer;
    if (index == 1)
      line("} else {");
    ++depth;
    if (failed(printBlock(body.front())))
      return failure();
    for (auto [name, value] :
         llvm::zip(results, body.front().getTerminator()->getOperands()))
      line(name + " = " + nameOf(value));
    --depth;
  }
  line("}");
  if (colocation) {
    --depth;
    line("}");
  }
  reads = std::move(outer);
  choice->walk([&](Operation *inner) { noteUpdates(inner); });
  for (auto [result, name] : llvm::zip(choice->getResults(), results))
    names[result] = name;
  return success();
}

} // namespace graphc::text
