// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule of edges, on views that are written by hand: edges that keep it,
// and some that break it only.
#include "runtime/format/check/EdgeCheck.h"

#include <gtest/gtest.h>

using namespace graphc::runtime;

namespace {

EndpointView sendOf(int64_t edge, int64_t program, int64_t peer) {
  return {edge, program, peer, /*isSend=*/true};
}
EndpointView recvOf(int64_t edge, int64_t program, int64_t peer) {
  return {edge, program, peer, /*isSend=*/false};
}

/// Edge 0 leads from program 0 to 1, edge 1 back.
EdgesView makeEdges() {
  EdgesView view;
  view.edges = {{0, 1}, {1, 0}};
  view.endpoints = {sendOf(0, 0, 1), recvOf(1, 0, 1), recvOf(0, 1, 0),
                    sendOf(1, 1, 0)};
  return view;
}

void expectFinding(const EdgesView &view, EdgeRule rule, int64_t edge,
                   std::optional<size_t> at,
                   std::optional<size_t> other = std::nullopt) {
  EdgeResult finding = EdgeChecker(view).checkEndpoints();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->rule, rule);
  EXPECT_EQ(finding->edge, edge);
  EXPECT_EQ(finding->at, at);
  EXPECT_EQ(finding->other, other);
}

TEST(EdgeCheck, AcceptsEdges) {
  EXPECT_FALSE(EdgeChecker(EdgesView()).checkEndpoints());
  EdgesView view = makeEdges();
  EXPECT_FALSE(EdgeChecker(view).checkEndpoints());
  view.isHere = {true, true};
  EXPECT_FALSE(EdgeChecker(view).checkEndpoints());
}

TEST(EdgeCheck, FindsEdgesWithinAProgram) {
  EdgesView view = makeEdges();
  EXPECT_FALSE(EdgeChecker(view).checkEdges());
  view.edges[1] = {1, 1};
  EdgeResult finding = EdgeChecker(view).checkEdges();
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->rule, EdgeRule::Distinct);
  EXPECT_EQ(finding->edge, 1);
}

TEST(EdgeCheck, FindsEndpointsInOtherPrograms) {
  EdgesView view = makeEdges();
  view.endpoints[2].program = 2;
  expectFinding(view, EdgeRule::Program, 0, 2);
  view = makeEdges();
  view.endpoints[3].program = 0;
  expectFinding(view, EdgeRule::Program, 1, 3);
}

TEST(EdgeCheck, FindsOtherPeers) {
  EdgesView view = makeEdges();
  view.endpoints[2].peer = 2;
  expectFinding(view, EdgeRule::Peer, 0, 2);
  view = makeEdges();
  view.endpoints[0].peer = -1;
  expectFinding(view, EdgeRule::Peer, 0, 0);
}

TEST(EdgeCheck, FindsSecondEndpoints) {
  EdgesView view = makeEdges();
  view.endpoints.push_back(sendOf(0, 0, 1));
  expectFinding(view, EdgeRule::Once, 0, 4, 0);
  view = makeEdges();
  view.endpoints.push_back(recvOf(1, 0, 1));
  expectFinding(view, EdgeRule::Once, 1, 4, 1);
  view = makeEdges();
  view.endpoints = {recvOf(7, 0, 1), recvOf(7, 0, 1)};
  expectFinding(view, EdgeRule::Once, 7, 1, 0);
}

TEST(EdgeCheck, FindsMissingEndpoints) {
  EdgesView view = makeEdges();
  view.endpoints.erase(view.endpoints.begin() + 2);
  expectFinding(view, EdgeRule::Received, 0, 0);
  view.isHere = {true, false};
  EXPECT_FALSE(EdgeChecker(view).checkEndpoints());
  view = makeEdges();
  view.endpoints.erase(view.endpoints.begin());
  expectFinding(view, EdgeRule::Sent, 0, 1);
  view.isHere = {false, true};
  EXPECT_FALSE(EdgeChecker(view).checkEndpoints());
  view.endpoints.clear();
  view.isHere = {true, false};
  expectFinding(view, EdgeRule::Sent, 0, std::nullopt);
}

TEST(EdgeCheck, FindsEdgesThatAreNotListed) {
  for (int64_t edge : {int64_t(-1), int64_t(2), INT64_MAX}) {
    EdgesView view = makeEdges();
    view.endpoints.push_back(recvOf(edge, 0, 1));
    expectFinding(view, EdgeRule::Sent, edge, 4);
  }
}

TEST(EdgeCheck, ComparesTypes) {
  EdgesView view = makeEdges();
  EdgeChecker checker(view);
  ASSERT_FALSE(checker.checkEndpoints());
  EXPECT_FALSE(checker.checkTypes([](size_t, size_t) { return true; }));
  EdgeResult finding = checker.checkTypes([](size_t send, size_t recv) {
    EXPECT_TRUE((send == 0 && recv == 2) || (send == 3 && recv == 1));
    return send != 3;
  });
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->rule, EdgeRule::Type);
  EXPECT_EQ(finding->edge, 1);
  EXPECT_EQ(finding->at, 1u);
  EXPECT_EQ(finding->other, 3u);
}

} // namespace
