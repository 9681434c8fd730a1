// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places for boxes and the lines between them, in layers from top to bottom.
#ifndef GRAPHC_REPORT_LAYOUT_H
#define GRAPHC_REPORT_LAYOUT_H

#include <cstdint>
#include <vector>

namespace graphc::report {

struct LayoutPoint {
  double x, y;
};

struct LayoutNode {
  double width, height;
  double x = 0, y = 0; ///< of the upper left corner, found by layOut
};

struct LayoutEdge {
  uint32_t from, to;
  std::vector<LayoutPoint> points = {}; ///< from the one to the other
};

struct LayoutGaps {
  double layer = 46, node = 18;
};

/// With room for a text on each edge.
inline constexpr LayoutGaps kWideGaps{110, 90};

struct LayoutSize {
  double width = 0, height = 0;
};

/// Nodes come in an order in which most edges lead forward; those that do not
/// are drawn upwards. Deterministic. REQUIRES: an edge joins two nodes.
LayoutSize layOut(std::vector<LayoutNode> &nodes,
                  std::vector<LayoutEdge> &edges, LayoutGaps gaps = {});

} // namespace graphc::report

#endif
