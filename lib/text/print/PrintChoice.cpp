// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices as blocks: `if c { y = a } else { y = b }`.
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/print/GraphPrinter.h"

using namespace mlir;

namespace graphc::text {

LogicalResult GraphPrinter::printChoice(tfir::IfOp choice) {
  flush();
  for (NamedAttribute attribute : choice->getDiscardableAttrs())
    return choice.emitOpError() << "has '" << attribute.getName().getValue()
                                << "', which a text cannot have";
  line("if " + nameOf(choice.getCondition()) + " {");
  SmallVector<std::string> results;
  for (size_t i = 0; i < choice.getNumResults(); ++i)
    results.push_back(freshName());
  llvm::StringMap<Operation *> outer = reads;
  for (auto [index, body] : llvm::enumerate(choice->getRegions())) {
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
  reads = std::move(outer);
  choice->walk([&](Operation *inner) { noteUpdates(inner); });
  for (auto [result, name] : llvm::zip(choice.getResults(), results))
    names[result] = name;
  return success();
}

} // namespace graphc::text
