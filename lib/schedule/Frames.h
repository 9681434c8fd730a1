// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frames of transfers that travel together.
#ifndef GRAPHC_LIB_SCHEDULE_FRAMES_H
#define GRAPHC_LIB_SCHEDULE_FRAMES_H

#include "lib/schedule/OrderStep.h"

namespace graphc {

/// Joins small transfers that stand side by side.
class Frames {
public:
  Frames(const StepGraph &graph, llvm::ArrayRef<unsigned> order)
      : graph(graph), order(order) {}

  std::vector<StepItem> join();

private:
  void joinSends();
  void joinRun(llvm::ArrayRef<unsigned> run);

  const StepGraph &graph;
  llvm::ArrayRef<unsigned> order;
  /// The frame of a send that goes with others.
  llvm::DenseMap<unsigned, unsigned> frameOf;
  std::vector<llvm::SmallVector<unsigned>> frames;
};

} // namespace graphc

#endif
