// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicted cost of a placement: a simulated step in which each device and each
// link does one thing at a time.
#ifndef GRAPHC_LIB_PLACEMENT_POLICY_COSTMODEL_H
#define GRAPHC_LIB_PLACEMENT_POLICY_COSTMODEL_H

#include "dialects/tfir/OpWork.h"
#include "lib/placement/PlacementProblem.h"
#include "lib/placement/inputs/CostTable.h"
#include "lib/placement/policy/PlacementPolicy.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace graphc {

/// Deterministic: the same problem, table and devices give the same bits. The
/// work is done on first use. Thread-safety: none.
class CostModel {
public:
  /// Both must outlive the model; the groups of the problem are not read.
  CostModel(const PlacementProblem &problem, const CostTable &table)
      : problem(problem), table(table) {}

  /// A value that a node reads from another one of its graph.
  struct Edge {
    uint32_t user;
    uint32_t result; ///< of the maker
    double bytes;
  };

  /// The nodes of a graph, in order, and whether they are run in each step:
  /// those of `init` are not.
  struct Range {
    uint32_t begin, end;
    bool isStep;
  };

  /// Seconds of one step of each graph, added up.
  double stepSeconds(const GroupDevices &devices) const;

  /// Seconds that a node keeps a device busy.
  double busySeconds(uint32_t node, uint16_t device) const;

  /// Seconds that a value is on its way, without waiting for the link.
  double transferSeconds(uint16_t from, uint16_t to, double bytes) const;
  /// Seconds that it keeps the link busy.
  double linkSeconds(uint16_t from, uint16_t to, double bytes) const;

  /// A constant or the step's state is made wherever it is used.
  bool isEverywhere(uint32_t node) const;

  llvm::ArrayRef<Edge> edges(uint32_t node) const;
  llvm::ArrayRef<Range> graphs() const;
  size_t deviceCount() const { return problem.devices->size(); }

private:
  struct Prepared {
    std::vector<OpWork> work;     ///< by node
    std::vector<char> everywhere; ///< by node
    std::vector<Edge> edgeList;   ///< by maker
    std::vector<uint32_t> edgeBegin;
    std::vector<Range> graphs;
    std::vector<DeviceSpeed> speeds; ///< by device
  };

  const Prepared &prepare() const;
  const LinkSpeed &link(uint16_t from, uint16_t to) const;

  const PlacementProblem &problem;
  const CostTable &table;
  mutable std::optional<Prepared> prepared;
  mutable llvm::DenseMap<uint32_t, LinkSpeed> links;
};

} // namespace graphc

#endif
