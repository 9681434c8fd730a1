// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of one partition in another: what is sent, once per destination, and
// the numbers of the edges.
#include "lib/partition/GraphCut.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

/// The partition in which `value`, which is not copied, is made.
unsigned GraphCut::homeOf(Value value) const {
  if (auto feed = dyn_cast<BlockArgument>(value))
    return feedParts[feed.getArgNumber()];
  return partOf.lookup(value.getDefiningOp());
}

std::string GraphCut::nameOf(Value value) {
  if (auto feed = dyn_cast<BlockArgument>(value))
    return cast<StringAttr>(graph.getFeedNames()[feed.getArgNumber()]).str();
  auto name = getNodeName(value.getDefiningOp());
  std::string text = name ? name.str() : "";
  unsigned result = cast<OpResult>(value).getResultNumber();
  return result ? text + ":" + std::to_string(result) : text;
}

/// `value` as `user`, in partition `part`, sees it.
Value GraphCut::localIn(Value value, unsigned part, Operation *user) {
  Operation *maker = value.getDefiningOp();
  if (isCopied(maker)) {
    Value &copy = locals[{value, part}];
    if (!copy) {
      b.setInsertionPointToEnd(&parts[part].graph.getBlock());
      Operation *clone = b.clone(*maker);
      strip(clone);
      partOf[clone] = part;
      for (auto [from, to] :
           llvm::zip(maker->getResults(), clone->getResults()))
        locals[{from, part}] = to;
      return locals[{value, part}];
    }
    return copy;
  }
  if (Value source = forwarded.lookup(value))
    value = source;
  unsigned home = homeOf(value);
  if (home != part)
    return transfer(value, home, part, maker, user);
  auto feed = dyn_cast<BlockArgument>(value);
  return feed ? feeds[feed.getArgNumber()] : value;
}

/// Sends `value` once per destination. The transfer belongs to a collective
/// when both its ends do: `maker`, and `user`, which is the first.
Value GraphCut::transfer(Value value, unsigned from, unsigned to,
                         Operation *maker, Operation *user) {
  Value &received = locals[{value, to}];
  if (received)
    return received;
  Part &source = parts[from], &target = parts[to];
  auto feed = dyn_cast<BlockArgument>(value);
  Operation *&last = feed ? source.lastFeedSend : lastSend[value];
  if (last)
    b.setInsertionPointAfter(last);
  else if (feed)
    b.setInsertionPointToStart(&source.graph.getBlock());
  else
    b.setInsertionPointAfter(value.getDefiningOp());
  std::string name = nameOf(value);
  auto send = SendOp::create(b, value.getLoc(),
                             feed ? feeds[feed.getArgNumber()] : value, kOpen,
                             target.number);
  last = send;

  int64_t level = 1 + (feed ? 0 : levels.lookup(value.getDefiningOp()));
  b.setInsertionPointToEnd(&target.graph.getBlock());
  auto recv = RecvOp::create(b, value.getLoc(), value.getType(), kOpen,
                             source.number, level);
  setNodeName(recv, b.getStringAttr(name)); // if it is sent on
  if (IntegerAttr tower = getTower(user))
    setTower(recv, tower);
  if (maker) {
    if (IntegerAttr tower = getTower(maker))
      setTower(send, tower);
    IntegerAttr collective = getCollective(maker);
    if (collective && collective == getCollective(user)) {
      setCollective(send, collective);
      setCollective(recv, collective);
    }
  }
  edges.push_back(
      {send, recv, std::move(name), std::max(source.number, target.number)});
  levels[recv] = level;
  partOf[recv] = to;
  return received = recv.getValue();
}

/// The collective of the all_reduce that a use of a value only serves; null: it
/// has another purpose.
static IntegerAttr servedBy(OpOperand &use) {
  Operation *user = use.getOwner();
  bool isSum = isa<AllReduceOp>(user) && use.getOperandNumber() == 1;
  return isSum || isFallback(user) ? getCollective(user) : IntegerAttr();
}

/// A transfer whose value only serves an all_reduce does, too. What is sent on
/// has its edge after that by which it came.
void GraphCut::markFallbacks() {
  for (Edge &edge : llvm::reverse(edges)) {
    IntegerAttr served;
    bool isShared = edge.recv.getValue().use_empty();
    for (OpOperand &use : edge.recv.getValue().getUses()) {
      IntegerAttr other = servedBy(use);
      isShared |= !other || (served && served != other);
      served = other;
    }
    if (isShared)
      continue;
    for (Operation *end :
         {edge.send.getOperation(), edge.recv.getOperation()}) {
      setCollective(end, served);
      setFallback(end);
    }
  }
}

/// By the later of the two partitions, then as they were met: a partition has
/// the same numbers however many come after it, so that the plans for several
/// numbers of workers have programs in common.
void GraphCut::numberEdges() {
  llvm::stable_sort(
      edges, [](const Edge &a, const Edge &b) { return a.later < b.later; });
  for (auto [number, edge] : llvm::enumerate(edges)) {
    std::string text = std::to_string(number);
    edge.send.setEdge(number);
    setNodeName(edge.send, b.getStringAttr(edge.name + "/_send_" + text));
    edge.recv.setEdge(number);
    setNodeName(edge.recv, b.getStringAttr(edge.name + "/_recv_" + text));
  }
}

} // namespace graphc
