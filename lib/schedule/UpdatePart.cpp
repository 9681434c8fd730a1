// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/UpdatePart.h"

#include <algorithm>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

llvm::DenseSet<Operation *> findUpdateParts(const StepGraph &graph) {
  llvm::ArrayRef<StepNode> nodes = graph.nodes();
  std::vector<bool> isEarly(nodes.size());
  std::vector<unsigned> work;
  auto mark = [&](unsigned number) {
    if (isEarly[number])
      return;
    isEarly[number] = true;
    work.push_back(number);
  };
  for (unsigned number = 0; number < nodes.size(); ++number)
    if (graph.assignments(nodes[number].program).empty() ||
        nodes[number].op->hasTrait<MovesValues>())
      mark(number);
  while (!work.empty()) {
    unsigned number = work.back();
    work.pop_back();
    for (Operation *before : nodes[number].before)
      mark(graph.numberOf(before));
  }
  llvm::DenseSet<Operation *> updates;
  for (unsigned number = 0; number < nodes.size(); ++number)
    if (!isEarly[number])
      updates.insert(nodes[number].op);
  return updates;
}

void moveUpdatesToEnd(const llvm::DenseSet<Operation *> &updates,
                      std::vector<StepItem> &items) {
  std::stable_partition(items.begin(), items.end(), [&](const StepItem &item) {
    return !updates.contains(item.ops.front());
  });
}

} // namespace graphc
