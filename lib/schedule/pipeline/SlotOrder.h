// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the turns of the devices of a pipeline.
#ifndef GRAPHC_LIB_SCHEDULE_PIPELINE_SLOTORDER_H
#define GRAPHC_LIB_SCHEDULE_PIPELINE_SLOTORDER_H

#include "lib/schedule/ListScheduler.h"

namespace graphc {

/// Adds dependencies, so that the launches of a program run in the order of
/// their turns (tfir::getSlot); those without a turn are free. Not thread-safe.
class SlotOrder {
public:
  /// Both must outlive it.
  SlotOrder(StepGraph &graph, const StepUsers &users)
      : graph(graph), users(users) {}

  void enforce();
  /// Takes the dependencies away.
  void undo();

private:
  StepGraph &graph;
  const StepUsers &users;
  std::vector<std::pair<unsigned, unsigned>> added;
};

} // namespace graphc

#endif
