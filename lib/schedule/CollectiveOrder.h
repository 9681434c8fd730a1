// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order programs meet collectives.
#ifndef GRAPHC_LIB_SCHEDULE_COLLECTIVEORDER_H
#define GRAPHC_LIB_SCHEDULE_COLLECTIVEORDER_H

#include "lib/schedule/Launches.h"

#include <map>

namespace graphc {

/// All programs meet collectives in one order: in each of them, the first
/// transfers of two collectives come in the same order, and so do the last.
class CollectiveOrder {
public:
  /// Criterion for the first of two collectives.
  enum class By {
    Begin, ///< the one that some program meets first
    End,   ///< the one that all programs have met first
    Number ///< the one that was made first
  };

  /// `order` is all nodes as the programs do them when collectives are like
  /// other transfers, `times` when that is.
  CollectiveOrder(StepGraph &graph, llvm::ArrayRef<unsigned> order,
                  llvm::ArrayRef<double> times)
      : graph(graph) {
    findMoments(order, times);
  }

  void enforce(By by);
  /// Takes back what enforce added.
  void undo();

private:
  /// Time at which a node is done, then its position in the order.
  using Moment = std::pair<double, size_t>;

  void findMoments(llvm::ArrayRef<unsigned> order,
                   llvm::ArrayRef<double> times);
  void chain(By by, bool first);
  void add(unsigned node, unsigned before) {
    if (graph.addBefore(node, before))
      added.push_back({node, before});
  }

  StepGraph &graph;
  std::vector<Moment> moments;
  /// The transfers of a program and a collective.
  std::map<std::pair<unsigned, int64_t>, llvm::SmallVector<unsigned>> members;
  llvm::SmallVector<std::pair<unsigned, unsigned>> added;
};

} // namespace graphc

#endif
