// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/WaitGraph.h"

#include <algorithm>

namespace graphc::runtime {

void WaitGraph::add(InstructionId before, InstructionId after) {
  std::vector<Wait> &list = waits[before.program];
  auto isLater = [](uint32_t instruction, const Wait &wait) {
    return instruction < wait.before;
  };
  auto place =
      std::upper_bound(list.begin(), list.end(), before.instruction, isLater);
  list.insert(place, {before.instruction, after});
}

bool WaitGraph::isOrdered(InstructionId earlier, InstructionId later) const {
  if (earlier.program == later.program &&
      earlier.instruction < later.instruction)
    return true;
  // Of each program, the first instruction that is known to come after
  // `earlier`; all after it do, too. Each wait is followed at most once:
  // `todo` holds the lists' parts that are new.
  struct Part {
    uint32_t program, begin, end;
  };
  std::vector<uint32_t> reached(waits.size(), UINT32_MAX);
  std::vector<Part> todo = {{earlier.program, earlier.instruction, UINT32_MAX}};
  reached[earlier.program] = earlier.instruction;
  while (!todo.empty()) {
    Part part = todo.back();
    todo.pop_back();
    const std::vector<Wait> &list = waits[part.program];
    auto wait = std::lower_bound(
        list.begin(), list.end(), part.begin,
        [](const Wait &each, uint32_t begin) { return each.before < begin; });
    for (; wait != list.end() && wait->before < part.end; ++wait) {
      InstructionId after = wait->after;
      if (after.program == later.program &&
          after.instruction <= later.instruction)
        return true;
      uint32_t &known = reached[after.program];
      if (after.instruction >= known)
        continue;
      todo.push_back({after.program, after.instruction, known});
      known = after.instruction;
    }
  }
  return false;
}

} // namespace graphc::runtime
