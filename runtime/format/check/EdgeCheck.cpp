// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/check/EdgeCheck.h"

namespace graphc::runtime {

EdgeChecker::EdgeChecker(const EdgesView &view)
    : view(view), pairs(view.edges.size()) {}

EdgeResult EdgeChecker::checkEdges() const {
  for (size_t edge = 0; edge < view.edges.size(); ++edge)
    if (view.edges[edge].source == view.edges[edge].target)
      return EdgeFinding{EdgeRule::Distinct, int64_t(edge), {}, {}};
  return std::nullopt;
}

EdgeResult EdgeChecker::checkEndpoints() {
  for (size_t i = 0; i < view.endpoints.size(); ++i)
    if (EdgeResult finding = addEndpoint(i))
      return finding;
  for (size_t edge = 0; edge < view.edges.size(); ++edge)
    if (EdgeResult finding = checkPair(edge))
      return finding;
  if (unlisted.empty())
    return std::nullopt;
  const auto &[edge, pair] = *unlisted.begin();
  return EdgeFinding{EdgeRule::Sent, edge, pair.recv, {}};
}

EdgeResult EdgeChecker::addEndpoint(size_t index) {
  const EndpointView &end = view.endpoints[index];
  auto find = [&](EdgeRule rule, std::optional<size_t> other = {}) {
    return EdgeFinding{rule, end.edge, index, other};
  };
  bool isListed =
      end.edge >= 0 && end.edge < static_cast<int64_t>(view.edges.size());
  if (isListed) {
    const EdgeView &edge = view.edges[end.edge];
    if (end.program != (end.isSend ? edge.source : edge.target))
      return find(EdgeRule::Program);
    if (end.peer != (end.isSend ? edge.target : edge.source))
      return find(EdgeRule::Peer);
  }
  Pair &pair = isListed ? pairs[end.edge] : unlisted[end.edge];
  std::optional<size_t> &known = end.isSend ? pair.send : pair.recv;
  if (known)
    return find(EdgeRule::Once, known);
  known = index;
  return std::nullopt;
}

EdgeResult EdgeChecker::checkPair(size_t edge) const {
  const Pair &pair = pairs[edge];
  if (!pair.send && isHere(view.edges[edge].source))
    return EdgeFinding{EdgeRule::Sent, int64_t(edge), pair.recv, {}};
  if (!pair.recv && isHere(view.edges[edge].target))
    return EdgeFinding{EdgeRule::Received, int64_t(edge), pair.send, {}};
  return std::nullopt;
}

EdgeResult EdgeChecker::checkTypes(
    const std::function<bool(size_t send, size_t recv)> &isSame) const {
  for (size_t edge = 0; edge < pairs.size(); ++edge) {
    const auto &[send, recv] = pairs[edge];
    if (send && recv && !isSame(*send, *recv))
      return EdgeFinding{EdgeRule::Type, int64_t(edge), recv, send};
  }
  return std::nullopt;
}

bool EdgeChecker::isHere(int64_t program) const {
  return view.isHere.empty() ||
         (program >= 0 && program < static_cast<int64_t>(view.isHere.size()) &&
          view.isHere[program]);
}

} // namespace graphc::runtime
