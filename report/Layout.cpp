// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sugiyama's steps: layers by the longest way, stand-ins where an edge crosses
// a layer, order by the mean of the neighbours, then places as near to them as
// the widths allow. report/page/layout.js is the same for the page.
#include "report/Layout.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace graphc::report {

namespace {

constexpr double kStandInWidth = 4;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();

/// A node, or the stand-in of an edge in a layer between its ends.
struct Slot {
  uint32_t node = kNoNode;
  uint32_t layer = 0;
  double width = kStandInWidth, x = 0, y = 0, rowHeight = 0;
  std::vector<uint32_t> up = {}, down = {}; ///< neighbours

  double middle() const { return x + width / 2; }
};

using Row = std::vector<uint32_t>;

class Layers {
public:
  Layers(std::vector<LayoutNode> &nodes, std::vector<LayoutEdge> &edges,
         LayoutGaps gaps)
      : nodes(nodes), edges(edges), gaps(gaps) {}

  LayoutSize run() {
    findLayers();
    makeSlots();
    for (int sweep = 0; sweep < 6; ++sweep)
      sortRows(/*upwards=*/sweep % 2 == 1);
    LayoutSize size = placeRows();
    route();
    return size;
  }

private:
  void findLayers();
  void makeSlots();
  void sortRows(bool upwards);
  void pull(const Row &row, bool upwards);
  void spread(const Row &row, const std::vector<double> &wanted);
  LayoutSize placeRows();
  std::vector<double> ports(bool bottoms) const;
  void route();

  const std::vector<uint32_t> &near(uint32_t slot, bool upwards) const {
    return upwards ? slots[slot].down : slots[slot].up;
  }

  std::vector<LayoutNode> &nodes;
  std::vector<LayoutEdge> &edges;
  LayoutGaps gaps;
  std::vector<uint32_t> layers;
  std::vector<Slot> slots; ///< the nodes, then stand-ins
  std::vector<Row> chains; ///< of each edge, from its upper end
  std::vector<Row> rows;   ///< slots by layer
};

void Layers::findLayers() {
  layers.assign(nodes.size(), 0);
  std::vector<Row> after(nodes.size());
  std::vector<bool> isTarget(nodes.size(), false);
  for (const LayoutEdge &edge : edges) {
    auto [first, last] = std::minmax(edge.from, edge.to);
    after[first].push_back(last);
    isTarget[last] = true;
  }
  for (size_t node = 0; node < nodes.size(); ++node)
    for (uint32_t next : after[node])
      layers[next] = std::max(layers[next], layers[node] + 1);
  // What nothing leads to stands right above its first user.
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (isTarget[node] || after[node].empty())
      continue;
    uint32_t first = std::numeric_limits<uint32_t>::max();
    for (uint32_t next : after[node])
      first = std::min(first, layers[next]);
    layers[node] = first - 1;
  }
}

void Layers::makeSlots() {
  for (uint32_t node = 0; node < nodes.size(); ++node)
    slots.push_back({node, layers[node], nodes[node].width});
  for (const LayoutEdge &edge : edges) {
    uint32_t top = edge.from, bottom = edge.to;
    if (layers[top] > layers[bottom])
      std::swap(top, bottom);
    Row chain{top};
    for (uint32_t layer = layers[top] + 1; layer < layers[bottom]; ++layer) {
      chain.push_back(slots.size());
      slots.push_back({kNoNode, layer});
    }
    chain.push_back(bottom);
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      slots[chain[i]].down.push_back(chain[i + 1]);
      slots[chain[i + 1]].up.push_back(chain[i]);
    }
    chains.push_back(std::move(chain));
  }
  for (uint32_t slot = 0; slot < slots.size(); ++slot) {
    if (rows.size() <= slots[slot].layer)
      rows.resize(slots[slot].layer + 1);
    rows[slots[slot].layer].push_back(slot);
  }
}

void Layers::sortRows(bool upwards) {
  std::vector<double> place(slots.size());
  auto note = [&](const Row &row) {
    for (size_t i = 0; i < row.size(); ++i)
      place[row[i]] = static_cast<double>(i);
  };
  for (const Row &row : rows)
    note(row);
  for (size_t i = 0; i < rows.size(); ++i) {
    Row &row = rows[upwards ? rows.size() - 1 - i : i];
    std::vector<double> mean = place;
    for (uint32_t slot : row) {
      const std::vector<uint32_t> &others = near(slot, upwards);
      double sum = 0;
      for (uint32_t other : others)
        sum += place[other];
      if (!others.empty())
        mean[slot] = sum / static_cast<double>(others.size());
    }
    std::sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) {
      return mean[a] != mean[b] ? mean[a] < mean[b] : place[a] < place[b];
    });
    note(row);
  }
}

/// Moves the slots of a row apart from where they want to be as little as their
/// widths ask: the middle between pushing all to the right and all to the left.
void Layers::spread(const Row &row, const std::vector<double> &wanted) {
  std::vector<double> right(row.size());
  double edge = kInfinite;
  for (size_t i = row.size(); i-- > 0;) {
    right[i] = std::min(wanted[i], edge - slots[row[i]].width - gaps.node);
    edge = right[i];
  }
  double pushed = -kInfinite, placed = -kInfinite;
  for (size_t i = 0; i < row.size(); ++i) {
    double step = slots[row[i]].width + gaps.node;
    double left = std::max(wanted[i], pushed);
    pushed = left + step;
    slots[row[i]].x = std::max((left + right[i]) / 2, placed);
    placed = slots[row[i]].x + step;
  }
}

void Layers::pull(const Row &row, bool upwards) {
  std::vector<double> wanted;
  for (uint32_t slot : row) {
    const std::vector<uint32_t> &others = near(slot, upwards);
    double sum = 0;
    for (uint32_t other : others)
      sum += slots[other].middle();
    wanted.push_back(others.empty() ? slots[slot].x
                                    : sum / static_cast<double>(others.size()) -
                                          slots[slot].width / 2);
  }
  spread(row, wanted);
}

LayoutSize Layers::placeRows() {
  LayoutSize size;
  double y = 0;
  for (const Row &row : rows) {
    double x = 0, tallest = 0;
    for (uint32_t slot : row) {
      slots[slot].x = x;
      slots[slot].y = y;
      x += slots[slot].width + gaps.node;
      if (slots[slot].node != kNoNode)
        tallest = std::max(tallest, nodes[slots[slot].node].height);
    }
    for (uint32_t slot : row)
      slots[slot].rowHeight = tallest;
    size.height = y + tallest;
    y += tallest + gaps.layer;
  }
  for (int sweep = 0; sweep < 4; ++sweep) {
    for (const Row &row : rows)
      pull(row, /*upwards=*/false);
    for (size_t i = rows.size(); i-- > 0;)
      pull(rows[i], /*upwards=*/true);
  }
  double first = kInfinite;
  for (const Slot &slot : slots)
    first = std::min(first, slot.x);
  for (Slot &slot : slots) {
    slot.x -= first;
    size.width = std::max(size.width, slot.x + slot.width);
    if (slot.node == kNoNode)
      continue;
    nodes[slot.node].x = slot.x;
    nodes[slot.node].y = slot.y;
  }
  return size;
}

/// Ports of edges at the bottom of their upper endpoint, or at the top of their
/// lower one: side by side, in the order of where they come from.
std::vector<double> Layers::ports(bool bottoms) const {
  struct Port {
    uint32_t slot;
    double toward;
    uint32_t edge;
  };
  std::vector<Port> list;
  for (uint32_t edge = 0; edge < chains.size(); ++edge) {
    const Row &chain = chains[edge];
    if (bottoms)
      list.push_back({chain.front(), slots[chain[1]].middle(), edge});
    else
      list.push_back(
          {chain.back(), slots[chain[chain.size() - 2]].middle(), edge});
  }
  std::sort(list.begin(), list.end(), [](const Port &a, const Port &b) {
    return std::tie(a.slot, a.toward, a.edge) <
           std::tie(b.slot, b.toward, b.edge);
  });
  std::vector<double> result(edges.size());
  for (size_t begin = 0; begin < list.size();) {
    size_t end = begin;
    while (end < list.size() && list[end].slot == list[begin].slot)
      ++end;
    const Slot &slot = slots[list[begin].slot];
    for (size_t i = begin; i < end; ++i)
      result[list[i].edge] = slot.x + slot.width *
                                          static_cast<double>(i - begin + 1) /
                                          static_cast<double>(end - begin + 1);
    begin = end;
  }
  return result;
}

void Layers::route() {
  std::vector<double> starts = ports(/*bottoms=*/true);
  std::vector<double> stops = ports(/*bottoms=*/false);
  for (size_t i = 0; i < edges.size(); ++i) {
    const Row &chain = chains[i];
    const Slot &top = slots[chain.front()], &bottom = slots[chain.back()];
    std::vector<LayoutPoint> points{
        {starts[i], top.y + nodes[top.node].height}};
    for (size_t k = 1; k + 1 < chain.size(); ++k) {
      const Slot &slot = slots[chain[k]];
      points.push_back({slot.middle(), slot.y});
      points.push_back({slot.middle(), slot.y + slot.rowHeight});
    }
    points.push_back({stops[i], bottom.y});
    if (layers[edges[i].from] > layers[edges[i].to])
      std::reverse(points.begin(), points.end());
    edges[i].points = std::move(points);
  }
}

} // namespace

LayoutSize layOut(std::vector<LayoutNode> &nodes,
                  std::vector<LayoutEdge> &edges, LayoutGaps gaps) {
  return Layers(nodes, edges, gaps).run();
}

} // namespace graphc::report
