// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that each edge of a graph has its two endpoints, in the partitions of
// the compiler, in its programs and in those of a file.
#ifndef GRAPHC_RUNTIME_FORMAT_CHECK_EDGECHECK_H
#define GRAPHC_RUNTIME_FORMAT_CHECK_EDGECHECK_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace graphc::runtime {

/// Programs that an edge joins.
struct EdgeView {
  int64_t source = 0, target = 0;
};

/// Instruction of `program` that sends or receives an edge.
struct EndpointView {
  int64_t edge = 0;
  int64_t program = 0;
  int64_t peer = 0; ///< the program that it names as the other one
  bool isSend = false;
};

/// Edges of a graph. All numbers may be anything.
struct EdgesView {
  std::vector<EdgeView> edges;
  std::vector<EndpointView> endpoints; ///< in the order of instructions
  /// By program: its endpoints are here; empty: those of all are.
  std::vector<bool> isHere;
};

/// Rules of edges and their endpoints.
enum class EdgeRule {
  Distinct, ///< an edge joins two programs
  Program,  ///< an endpoint is in the program that the edge has there
  Peer,     ///< an endpoint names the edge's other program
  Once,     ///< an edge is sent, and received, once
  Sent,     ///< an edge that is listed or received has a Send
  Received, ///< an edge has a Recv
  Type      ///< what is received has the type of what is sent
};

/// Rule that an edge breaks. Endpoints are named by their indices.
struct EdgeFinding {
  EdgeRule rule;
  int64_t edge;
  /// The endpoint that breaks it: of Type, the Recv; of Sent and Received the
  /// one that there is, if any; of Distinct none.
  std::optional<size_t> at;
  std::optional<size_t> other; ///< Once: the first; Type: the Send
};

/// Nothing: the edges keep the rules.
using EdgeResult = std::optional<EdgeFinding>;

/// Finds the endpoints of edges and compares them. Takes time linear in the
/// size of the view, but for edges that it does not have. Thread-safety: one
/// thread.
class EdgeChecker {
public:
  /// `view` has its edges and outlives the object.
  explicit EdgeChecker(const EdgesView &view);

  /// Checks that edges join two programs each; needs no endpoints.
  EdgeResult checkEdges() const;

  /// Checks the rules of endpoints but that of types.
  EdgeResult checkEndpoints();

  /// Compares the types of endpoints, of which `isSame` is given the indices.
  /// REQUIRES: checkEndpoints() found nothing.
  EdgeResult
  checkTypes(const std::function<bool(size_t send, size_t recv)> &isSame) const;

private:
  /// Endpoints of an edge, by their indices.
  struct Pair {
    std::optional<size_t> send, recv;
  };

  EdgeResult addEndpoint(size_t index);
  EdgeResult checkPair(size_t edge) const;
  bool isHere(int64_t program) const;

  const EdgesView &view;
  std::vector<Pair> pairs;          ///< by edge
  std::map<int64_t, Pair> unlisted; ///< of edges that the view does not have
};

} // namespace graphc::runtime

#endif
