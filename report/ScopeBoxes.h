// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph seen from afar: per device one box for each tower or outermost scope.
#ifndef GRAPHC_REPORT_SCOPEBOXES_H
#define GRAPHC_REPORT_SCOPEBOXES_H

#include "report/Report.h"

namespace graphc::report {

/// Ops of one device that are shown as one.
struct ScopeBox {
  std::string name;
  uint32_t device; ///< in ScopeBoxes::devices
  uint32_t opCount = 0;
};

/// Data flow from one box to another.
struct Flow {
  uint32_t from, to;
  uint64_t bytes = 0;
  uint32_t values = 0;
};

/// Thread-safety: as a value type.
struct ScopeBoxes {
  /// Devices with ops, CPUs first, else in the order of Report::devices; -1:
  /// not known.
  std::vector<int32_t> devices;
  std::vector<ScopeBox> boxes; ///< in the order of their first ops
  std::vector<uint32_t> boxOf; ///< of each op
  std::vector<Flow> within;    ///< between boxes of one device
  /// Between devices, numbers in `devices`. A constant is not sent.
  std::vector<Flow> across;
};

/// At most `most` boxes per device; the rest of a device is one box more.
/// Linear in the graph but for sorting what flows.
ScopeBoxes boxesOf(const Report &report, const ReportGraph &graph,
                   size_t most = 12);

/// True when each device that uses the op has a copy of it.
bool isCloned(const Report &report, const ReportGraph &graph, uint32_t op);

} // namespace graphc::report

#endif
