// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends f32 values from task to task as bf16:
//
//   send %x edge 3  ->  %h = cast %x; send %h edge 3
//   %y = recv edge 3  ->  %h = recv edge 3; %y = cast %h
//
// All readers of a value that was computed have the rounded numbers, those of
// the sender, too: variables that are copies of each other stay equal. What
// becomes the value of a variable as it is, or one number, is sent as f32.
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/frontend/UniqueNames.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_NARROWTRANSFERSPASS
#include "graphc/Passes.h.inc"

namespace {

/// The partitions of one graph.
class WholeGraph {
public:
  void add(GraphOp part);
  void narrow();

private:
  bool crossesTasks(SendOp send) const;
  bool becomesState(Value value) const;
  void narrow(SendOp send);
  Value narrowed(OpBuilder &b, Value value, SendOp send);
  Value castLike(OpBuilder &b, Value x, Type element, Operation *like);

  std::map<uint64_t, SendOp> sends; ///< by edge
  std::map<uint64_t, RecvOp> recvs;
  std::map<Operation *, UniqueNames> names; ///< by partition
};

void WholeGraph::add(GraphOp part) {
  for (auto send : part.getBlock().getOps<SendOp>())
    sends[send.getEdge()] = send;
  for (auto recv : part.getBlock().getOps<RecvOp>())
    recvs[recv.getEdge()] = recv;
}

bool WholeGraph::crossesTasks(SendOp send) const {
  auto recv = recvs.find(send.getEdge());
  if (recv == recvs.end())
    return false; // the verifier tells
  DeviceAttr source = send->getParentOfType<GraphOp>().getDeviceAttr();
  DeviceAttr target = recv->second->getParentOfType<GraphOp>().getDeviceAttr();
  if (!source || !target)
    return false;
  const runtime::DeviceName &from = source.getDeviceName();
  const runtime::DeviceName &to = target.getDeviceName();
  return from.job != to.job || from.replica != to.replica ||
         from.task != to.task;
}

/// True when a variable is assigned the value, or a part of it, unchanged.
bool WholeGraph::becomesState(Value value) const {
  llvm::DenseSet<Value> seen{value};
  SmallVector<Value> left{value};
  auto visit = [&](Value next) {
    if (seen.insert(next).second)
      left.push_back(next);
  };
  while (!left.empty())
    for (Operation *user : left.pop_back_val().getUsers()) {
      if (isa<AssignOp>(user))
        return true;
      auto send = dyn_cast<SendOp>(user);
      auto recv = send ? recvs.find(send.getEdge()) : recvs.end();
      if (recv != recvs.end())
        visit(RecvOp(recv->second).getValue());
      if (user->hasTrait<MovesElements>())
        for (Value result : user->getResults())
          visit(result);
    }
  return false;
}

/// True for values that the graph computes, and does not only hand on.
bool isComputed(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!maker || isa<ReadOp, ConstOp>(maker) || maker->hasTrait<MovesValues>())
    return false;
  return !maker->hasTrait<MovesElements>() ||
         llvm::any_of(maker->getOperands(), isComputed);
}

/// The cast of `x`, named after `like`, a transfer.
Value WholeGraph::castLike(OpBuilder &b, Value x, Type element,
                           Operation *like) {
  auto cast = CastOp::create(b, x.getLoc(), tensorType(x).clone(element), x);
  auto graph = like->getParentOfType<GraphOp>();
  UniqueNames &own = names.try_emplace(graph, graph).first->second;
  StringAttr name = getNodeName(like);
  std::string base = (name ? name.str() : kindName(like)) + "/Cast";
  setNodeName(cast, b.getStringAttr(own.take(base)));
  if (IntegerAttr tower = getTower(like))
    setTower(cast, tower);
  return cast.getY();
}

/// The value in 16 bits, which it may have had before.
Value WholeGraph::narrowed(OpBuilder &b, Value value, SendOp send) {
  auto known = value.getDefiningOp<CastOp>();
  if (known && isHalf(tensorType(known.getX()).getElementType()))
    return known.getX();
  if (value.getDefiningOp())
    b.setInsertionPointAfterValue(value);
  Value narrow = castLike(b, value, b.getBF16Type(), send);
  if (!isComputed(value))
    return narrow;
  // Other sends of the value are among the readers of the rounded one.
  Value rounded = castLike(b, narrow, b.getF32Type(), send);
  value.replaceAllUsesExcept(rounded, narrow.getDefiningOp());
  return narrow;
}

void WholeGraph::narrow(SendOp send) {
  OpBuilder b(send);
  Value narrow = narrowed(b, send.getValue(), send);
  send.getValueMutable().assign(narrow);
  Type single = b.getF32Type();
  Type half = tensorType(narrow).getElementType();

  RecvOp recv = recvs.at(send.getEdge());
  b.setInsertionPointAfter(recv);
  Value received = recv.getValue();
  received.setType(tensorType(received).clone(half));
  Value wide = castLike(b, received, single, recv);
  received.replaceAllUsesExcept(wide, wide.getDefiningOp());
}

void WholeGraph::narrow() {
  SmallVector<SendOp> chosen;
  for (auto &[edge, send] : sends) {
    SendOp each = send;
    auto type = dyn_cast<RankedTensorType>(each.getValue().getType());
    if (type && type.getElementType().isF32() && type.getNumElements() > 1 &&
        !isFallback(each) && crossesTasks(each) &&
        !becomesState(each.getValue()))
      chosen.push_back(each);
  }
  for (SendOp send : chosen)
    narrow(send);
}

struct NarrowTransfersPass
    : impl::NarrowTransfersPassBase<NarrowTransfersPass> {
  void runOnOperation() override {
    llvm::MapVector<Attribute, WholeGraph> graphs;
    for (auto part : getOperation().getOps<GraphOp>()) {
      StringRef whole = part.getWholeNameAttr().getValue();
      // First values are what a training starts from, wherever it runs.
      if (whole != kInitGraph && !whole.ends_with("/reset"))
        graphs[part.getWholeNameAttr()].add(part);
    }
    for (auto &[name, graph] : graphs)
      graph.narrow();
  }
};

} // namespace
} // namespace graphc
