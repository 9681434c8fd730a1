// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No two boxes share a place, and lines begin and end at their boxes.
#include "report/Layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace graphc::report;

namespace {

void expectSound(const std::vector<LayoutNode> &nodes,
                 const std::vector<LayoutEdge> &edges, LayoutSize size) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_GE(nodes[i].x, -1e-6);
    EXPECT_GE(nodes[i].y, -1e-6);
    EXPECT_LE(nodes[i].x + nodes[i].width, size.width + 1e-6);
    EXPECT_LE(nodes[i].y + nodes[i].height, size.height + 1e-6);
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(nodes[i].x + nodes[i].width <= nodes[j].x + 1e-6 ||
                  nodes[j].x + nodes[j].width <= nodes[i].x + 1e-6 ||
                  nodes[i].y + nodes[i].height <= nodes[j].y + 1e-6 ||
                  nodes[j].y + nodes[j].height <= nodes[i].y + 1e-6)
          << i << " and " << j << " overlap";
  }
  auto touches = [&](const LayoutNode &node, LayoutPoint point) {
    bool isAtSide = std::abs(point.y - node.y) < 1e-6 ||
                    std::abs(point.y - node.y - node.height) < 1e-6;
    return isAtSide && point.x > node.x && point.x < node.x + node.width;
  };
  for (const LayoutEdge &edge : edges) {
    ASSERT_GE(edge.points.size(), 2u);
    EXPECT_TRUE(touches(nodes[edge.from], edge.points.front()));
    EXPECT_TRUE(touches(nodes[edge.to], edge.points.back()));
  }
}

TEST(Layout, NothingHasNoSize) {
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;
  LayoutSize size = layOut(nodes, edges);
  EXPECT_EQ(size.width, 0);
  EXPECT_EQ(size.height, 0);
}

TEST(Layout, ChainGoesDown) {
  std::vector<LayoutNode> nodes(3, LayoutNode{100, 40});
  std::vector<LayoutEdge> edges{{0, 1}, {1, 2}, {0, 2}};
  LayoutSize size = layOut(nodes, edges);
  EXPECT_LT(nodes[0].y, nodes[1].y);
  EXPECT_LT(nodes[1].y, nodes[2].y);
  expectSound(nodes, edges, size);
}

TEST(Layout, BothWaysAreTwoLines) {
  std::vector<LayoutNode> nodes(2, LayoutNode{100, 40});
  std::vector<LayoutEdge> edges{{0, 1}, {1, 0}};
  LayoutSize size = layOut(nodes, edges);
  expectSound(nodes, edges, size);
  EXPECT_NE(edges[0].points.front().x, edges[1].points.back().x);
}

TEST(Layout, RandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](uint32_t end) { return random() % end; };
    std::vector<LayoutNode> nodes(2 + below(30));
    for (LayoutNode &node : nodes)
      node = {20.0 + below(150), 20.0 + below(60)};
    std::vector<LayoutEdge> edges;
    for (uint32_t i = below(80); i > 0; --i) {
      uint32_t from = below(nodes.size()), to = below(nodes.size());
      if (from != to)
        edges.push_back({from, to});
    }
    LayoutSize size = layOut(nodes, edges);
    expectSound(nodes, edges, size);
  }
}

} // namespace
