// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/CollectiveOrder.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

void CollectiveOrder::findMoments(ArrayRef<unsigned> order,
                                  ArrayRef<double> times) {
  moments.resize(graph.nodes().size());
  for (auto [place, number] : llvm::enumerate(order)) {
    const StepNode &node = graph.nodes()[number];
    moments[number] = {times[number], place};
    auto collective = getCollective(node.op);
    if (collective && isa<SendOp, RecvOp>(node.op))
      members[{node.program, collective.getInt()}].push_back(number);
  }
}

void CollectiveOrder::chain(By by, bool first) {
  std::map<int64_t, Moment> starts; // by collective
  std::map<unsigned, std::vector<std::pair<int64_t, unsigned>>> meetings;
  for (auto &[key, nodes] : members) {
    auto isBefore = [&](unsigned a, unsigned b) {
      return moments[a] < moments[b];
    };
    unsigned chosen =
        first ? *std::min_element(nodes.begin(), nodes.end(), isBefore)
              : *std::max_element(nodes.begin(), nodes.end(), isBefore);
    for (unsigned node : nodes)
      if (node != chosen)
        add(first ? node : chosen, first ? chosen : node);
    Moment moment = by == By::Number ? Moment() : moments[chosen];
    auto [it, isNew] = starts.try_emplace(key.second, moment);
    if (!isNew)
      it->second = by == By::Begin ? std::min(it->second, moment)
                                   : std::max(it->second, moment);
    meetings[key.first].push_back({key.second, chosen});
  }
  for (auto &[program, met] : meetings) {
    llvm::sort(met, [&](const auto &a, const auto &b) {
      return std::pair(starts[a.first], a.first) <
             std::pair(starts[b.first], b.first);
    });
    for (size_t i = 1; i < met.size(); ++i)
      add(met[i].second, met[i - 1].second);
  }
}

void CollectiveOrder::enforce(By by) {
  chain(by, /*first=*/true);
  chain(by, /*first=*/false);
}

void CollectiveOrder::undo() {
  for (auto [node, before] : added)
    graph.removeBefore(node, before);
  added.clear();
}

} // namespace graphc
