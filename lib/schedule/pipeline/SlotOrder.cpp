// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/pipeline/SlotOrder.h"

#include "dialects/tfir/PipelineAttrs.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

void SlotOrder::enforce() {
  ArrayRef<StepNode> nodes = graph.nodes();
  using Turn = std::pair<unsigned, int64_t>; // of a program
  std::map<Turn, SmallVector<unsigned>> turns;
  auto turnOf = [&](unsigned number) -> std::optional<Turn> {
    std::optional<int64_t> slot = getSlot(nodes[number].op);
    if (!slot)
      return std::nullopt;
    return Turn(nodes[number].program, *slot);
  };
  for (unsigned number = 0; number < nodes.size(); ++number)
    if (std::optional<Turn> turn = turnOf(number))
      turns[*turn].push_back(number);
  // Between turns only their ends meet: the last ones of the one, which nothing
  // of it waits for, and the first ones of the next.
  SmallVector<unsigned> ends;
  unsigned program = 0;
  for (auto &[turn, members] : turns) {
    if (turn.first != program)
      ends.clear();
    program = turn.first;
    SmallVector<unsigned> last;
    for (unsigned number : members) {
      bool isFirst = llvm::none_of(nodes[number].before, [&](Operation *op) {
        return turnOf(graph.numberOf(op)) == turn;
      });
      if (llvm::none_of(users[number],
                        [&](unsigned user) { return turnOf(user) == turn; }))
        last.push_back(number);
      if (!isFirst)
        continue;
      for (unsigned end : ends)
        if (graph.addBefore(number, end))
          added.push_back({number, end});
    }
    ends = std::move(last);
  }
}

void SlotOrder::undo() {
  for (auto [node, before] : added)
    graph.removeBefore(node, before);
  added.clear();
}

} // namespace graphc
