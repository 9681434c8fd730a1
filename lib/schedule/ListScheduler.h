// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// List scheduling of the programs of a graph.
#ifndef GRAPHC_LIB_SCHEDULE_LISTSCHEDULER_H
#define GRAPHC_LIB_SCHEDULE_LISTSCHEDULER_H

#include "lib/schedule/StepTimes.h"

namespace graphc {

/// Users of each node.
using StepUsers = std::vector<llvm::SmallVector<unsigned>>;

/// Simulates the devices, one clock each: what is ready and has the longest way
/// to the end goes first, but what others wait for goes before what they do
/// not: real devices are never in step, and who sends early is not waited for.
class ListScheduler {
public:
  ListScheduler(const StepGraph &graph, const StepTimes &times,
                const StepUsers &users)
      : graph(graph), times(times), nodes(graph.nodes()), users(users),
        states(nodes.size()), begins(nodes.size()) {}

  /// `topological` is any order of all nodes.
  std::vector<unsigned> run(llvm::ArrayRef<unsigned> topological);
  /// Start time of each node.
  llvm::ArrayRef<double> beginTimes() const { return begins; }

private:
  struct State {
    size_t waiting = 0;
    double ready = 0;    ///< when all that it waits for is there
    double toEnd = 0;    ///< the longest way to the end of the step
    bool isSent = false; ///< another program waits for it, at last
    bool isDone = false;
  };
  struct Device {
    double clock = 0;
    /// Nodes by the time at which they are ready, and those that are so now.
    std::vector<unsigned> later, now;
  };

  bool isRecv(unsigned number) const {
    return mlir::isa<tfir::RecvOp>(nodes[number].op);
  }
  /// True for a send that goes right after the node that makes its value.
  bool isAttached(unsigned number) const;
  void findWays(llvm::ArrayRef<unsigned> topological);
  void meet(unsigned number, double time);
  void takeUp(unsigned number, double time);
  void emit(unsigned number, double time);
  void perform(unsigned number, double end);
  bool isUrgent(unsigned a, unsigned b) const;

  const StepGraph &graph;
  const StepTimes &times;
  llvm::ArrayRef<StepNode> nodes;
  const StepUsers &users;
  std::vector<State> states;
  std::vector<double> begins;
  std::vector<Device> devices;
  std::vector<unsigned> deviceOf; ///< by program
  std::vector<unsigned> order;
};

} // namespace graphc

#endif
