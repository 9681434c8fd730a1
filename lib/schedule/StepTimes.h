// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimated times of the instructions of a step.
#ifndef GRAPHC_LIB_SCHEDULE_STEPTIMES_H
#define GRAPHC_LIB_SCHEDULE_STEPTIMES_H

#include "lib/schedule/Launches.h"

#include "llvm/ADT/StringMap.h"

namespace graphc {

/// Durations of nodes, in simulated microseconds.
class StepTimes {
public:
  explicit StepTimes(StepGraph &graph) : graph(graph) {
    for (const StepNode &node : graph.nodes())
      costs.push_back(costOf(node.op));
  }

  double of(unsigned node) const { return costs[node]; }
  /// From the end of one node to the time when another, which waits for it, can
  /// go on.
  double between(unsigned from, unsigned to) const;

private:
  double costOf(mlir::Operation *op);

  StepGraph &graph;
  std::vector<double> costs;
  llvm::StringMap<double> kernels;
};

} // namespace graphc

#endif
