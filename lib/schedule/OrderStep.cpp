// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of one program is its graph's; that of several comes from a
// simulation, and then small transfers are joined.
#include "lib/schedule/OrderStep.h"

#include "lib/schedule/CollectiveOrder.h"
#include "lib/schedule/Frames.h"
#include "lib/schedule/ListScheduler.h"
#include "lib/schedule/pipeline/SlotOrder.h"

#include "llvm/ADT/MapVector.h"

#include <queue>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

StepUsers findUsers(const StepGraph &graph) {
  StepUsers users(graph.nodes().size());
  for (auto [number, node] : llvm::enumerate(graph.nodes()))
    for (Operation *before : node.before)
      users[graph.numberOf(before)].push_back(number);
  return users;
}

/// Moves all nodes of an all_reduce to the first of them. They need the same,
/// so that is possible; and programs that wait there for each other, as with a
/// library, then come to it together.
std::vector<unsigned> joinAllReduces(const StepGraph &graph,
                                     ArrayRef<unsigned> order) {
  llvm::MapVector<Attribute, SmallVector<unsigned>> members;
  for (unsigned number : order)
    if (Operation *op = graph.nodes()[number].op; isa<AllReduceOp>(op))
      members[getCollective(op)].push_back(number);
  std::vector<unsigned> joined;
  for (unsigned number : order) {
    Operation *op = graph.nodes()[number].op;
    if (!isa<AllReduceOp>(op)) {
      joined.push_back(number);
      continue;
    }
    ArrayRef<unsigned> together = members[getCollective(op)];
    if (number == together.front())
      joined.insert(joined.end(), together.begin(), together.end());
  }
  return joined;
}

/// All nodes, those with a low number first where dependencies allow; fewer
/// when they run in a circle.
std::vector<unsigned> sortByNumber(const StepGraph &graph,
                                   const StepUsers &users) {
  std::vector<size_t> waiting;
  for (const StepNode &node : graph.nodes())
    waiting.push_back(node.before.size());
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (auto [number, count] : llvm::enumerate(waiting))
    if (!count)
      ready.push(number);
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned number = ready.top();
    ready.pop();
    order.push_back(number);
    for (unsigned user : users[number])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  return order;
}

} // namespace

FailureOr<std::vector<StepItem>> orderStep(StepGraph &graph) {
  StepUsers users = findUsers(graph);
  std::vector<unsigned> order = sortByNumber(graph, users);
  if (order.size() != graph.nodes().size()) {
    llvm::DenseSet<unsigned> sorted(order.begin(), order.end());
    for (auto [number, node] : llvm::enumerate(graph.nodes()))
      if (!sorted.contains(number) && isa<RecvOp>(node.op))
        return node.op->emitOpError()
               << "can never be done: what it waits for needs its own value, "
                  "over other programs; the partition is not one that "
                  "tfir-partition makes";
    return graph.graphOf(0).emitOpError("has ops that wait for each other");
  }
  if (graph.programs() > 1) {
    SlotOrder turns(graph, users);
    turns.enforce();
    users = findUsers(graph);
    if (std::vector<unsigned> ordered = sortByNumber(graph, users);
        ordered.size() == graph.nodes().size()) {
      order = std::move(ordered);
    } else { // some op needs another order: turns are a preference
      turns.undo();
      users = findUsers(graph);
    }
    StepTimes times(graph);
    ListScheduler free(graph, times, users);
    std::vector<unsigned> freeOrder = free.run(order);
    CollectiveOrder collectives(graph, freeOrder, free.beginTimes());
    // One of the orders agrees with what the values need. If none does, the
    // check of the plan finds the place.
    using By = CollectiveOrder::By;
    for (By by : {By::Begin, By::End, By::Number}) {
      collectives.enforce(by);
      users = findUsers(graph);
      std::vector<unsigned> ordered = sortByNumber(graph, users);
      if (ordered.size() == order.size()) {
        order = ordered;
        break;
      }
      collectives.undo();
      users = findUsers(graph);
    }
    order = ListScheduler(graph, times, users).run(order);
    order = joinAllReduces(graph, order);
  }
  return Frames(graph, order).join();
}

} // namespace graphc
