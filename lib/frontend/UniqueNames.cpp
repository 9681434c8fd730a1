// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/UniqueNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

std::string kindName(Operation *op) {
  StringRef mnemonic = op->getName().stripDialect();
  // The two words that TensorFlow spells with a capital inside.
  if (mnemonic == "matmul")
    return "MatMul";
  if (mnemonic.consume_front("conv2d")) {
    mnemonic.consume_front("_");
    return "Conv2D" + llvm::convertToCamelFromSnakeCase(mnemonic, true);
  }
  // "ScalarSummary"
  bool isSummary = mnemonic.consume_front("summary.");
  return llvm::convertToCamelFromSnakeCase(mnemonic, true) +
         (isSummary ? "Summary" : "");
}

UniqueNames::UniqueNames(GraphOp graph) {
  for (auto variable :
       cast<ModuleOp>(graph->getParentOp()).getOps<VariableOp>())
    taken[variable.getSymName()] = 1;
  graph.getBody().walk([&](Operation *op) {
    if (auto name = getNodeName(op))
      taken[name.getValue()] = 1;
  });
}

std::string UniqueNames::take(StringRef base) {
  if (taken.try_emplace(base, 1).second)
    return base.str();
  for (unsigned number = taken[base];; ++number) {
    std::string name = (base + "_" + Twine(number)).str();
    if (!taken.try_emplace(name, 1).second)
      continue;
    taken[base] = number + 1;
    return name;
  }
}

} // namespace graphc
