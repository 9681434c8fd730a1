// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk over the graph in its order: each op moves to the end of its
// partition, and a value from another one is sent right after its maker and
// received before the first op that needs it.
#include "lib/partition/PartitionGraph.h"

#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/partition/GraphCut.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

/// "train/GPU:0"; with the task where there are several, with the tower where
/// the partition is only its own.
std::string GraphCut::symbolOf(const Part &part, bool tasksDiffer) {
  std::string symbol = graph.getSymName().str();
  const runtime::DeviceName &name = part.device.getDeviceName();
  if (tasksDiffer)
    symbol += name.taskName().toString();
  symbol += "/" + *name.type + ":" + std::to_string(*name.id);
  if (part.replica != kShared)
    symbol += "#" + std::to_string(part.replica);
  return symbol;
}

/// Gives a partition the attributes of the undivided graph, but for those that
/// are about the division.
void GraphCut::setAttributes(Part &part) {
  if (part.graph != graph) {
    copyNodeAttrs(graph, part.graph);
    part.graph.setReplicasAttr(graph.getReplicasAttr());
    part.graph.setInstanceAttr(graph.getInstanceAttr());
    part.graph.setSummariesAttr(graph.getSummariesAttr());
  }
  strip(part.graph);
  part.graph.removeFeedDevicesAttr();
  part.graph.removeSplitFeedsAttr();
  part.graph.removeSplitFetchesAttr();
  part.graph.setPartitionOfAttr(graph.getSymNameAttr());
  part.graph.setDeviceAttr(part.device);
  part.graph.setFeedOrder(part.feedOrder);
  part.graph.setFetchOrder(part.fetchOrder);
}

/// Strips an op's placement: its graph has it.
void GraphCut::strip(Operation *op) { removePlacement(op); }

void GraphCut::keepWhole() {
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBlock().without_terminator())) {
    if (isa<IdentityOp>(op)) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
      continue;
    }
    strip(&op);
  }
  Part &part = parts.front();
  part.graph = graph;
  part.feedOrder = llvm::to_vector(
      llvm::seq<int64_t>(0, graph.getBlock().getNumArguments()));
  part.fetchOrder =
      llvm::to_vector(llvm::seq<int64_t>(0, graph.getFetchNames().size()));
  setAttributes(part);
}

void GraphCut::addFeeds() {
  for (BlockArgument feed : graph.getBlock().getArguments()) {
    Part &part = parts[feedParts[feed.getArgNumber()]];
    part.feedNames.push_back(graph.getFeedNames()[feed.getArgNumber()]);
    part.feedOrder.push_back(feed.getArgNumber());
    feeds.push_back(
        part.graph.getBlock().addArgument(feed.getType(), feed.getLoc()));
  }
}

/// A tower's own batch counts as if it came from another device, where it does
/// on other layouts: so its kernels are the same.
void GraphCut::moveOp(Operation *op) {
  unsigned part = partOf.lookup(op);
  int64_t level = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    Value local = localIn(operand.get(), part, op);
    if (local != operand.get())
      operand.set(local);
    if (Operation *maker = local.getDefiningOp())
      level = std::max(level, isOwnBatch(maker) ? 1 : levels.lookup(maker));
  }
  // As in the kernels' levels. A library makes an AllReduce a transfer.
  if (op->hasTrait<KernelBarrier>() || isa<OptimizationBarrierOp>(op))
    ++level;
  // It only named the device through which a value goes.
  if (isa<IdentityOp>(op)) {
    Value source = op->getOperand(0);
    if (!isa<BlockArgument>(source)) {
      forwarded[op->getResult(0)] = source;
      identities.push_back(op);
      return;
    }
  }
  strip(op);
  if (isOwnBatch(op))
    setDependencyLevel(op, b.getI64IntegerAttr(1));
  op->moveBefore(&parts[part].graph.getBlock(),
                 parts[part].graph.getBlock().end());
  if (level)
    levels[op] = level;
}

void GraphCut::addFetches() {
  ReturnOp ret = graph.getReturn();
  for (auto [i, value] : llvm::enumerate(ret.getValues())) {
    Value source = forwarded.lookup(value);
    if (!source)
      source = value;
    unsigned home = homeOf(source);
    Part &part = parts[home];
    part.fetches.push_back(localIn(source, home, ret));
    part.fetchNames.push_back(graph.getFetchNames()[i]);
    part.fetchTypes.push_back(graph.getFetchTypes()[i]);
    part.fetchOrder.push_back(i);
  }
}

void GraphCut::divide() {
  bool tasksDiffer = llvm::any_of(parts, [&](const Part &part) {
    return !part.device.getDeviceName().isInSameTaskAs(
        parts.front().device.getDeviceName());
  });
  ArrayAttr none = b.getArrayAttr({});
  b.clearInsertionPoint();
  for (unsigned index : order) {
    Part &part = parts[index];
    part.graph = GraphOp::create(b, graph.getLoc(), symbolOf(part, tasksDiffer),
                                 none, none, none);
    part.graph.getBody().emplaceBlock();
    symbols.insert(part.graph, Block::iterator(graph));
  }
  addFeeds();
  for (Operation &op :
       llvm::make_early_inc_range(graph.getBlock().without_terminator()))
    if (!isCopied(&op))
      moveOp(&op);
  addFetches();
  graph.getReturn().erase();
  for (Operation *op : llvm::reverse(identities)) {
    op->dropAllUses();
    op->erase();
  }
  for (unsigned index : order) {
    Part &part = parts[index];
    b.setInsertionPointToEnd(&part.graph.getBlock());
    ReturnOp::create(b, graph.getLoc(), part.fetches);
    part.graph.setFeedNamesAttr(b.getArrayAttr(part.feedNames));
    part.graph.setFetchNamesAttr(b.getArrayAttr(part.fetchNames));
    part.graph.setFetchTypesAttr(b.getArrayAttr(part.fetchTypes));
    setAttributes(part);
  }
  markFallbacks();
  numberEdges();
  symbols.erase(graph);
}

LogicalResult GraphCut::run() {
  for (Operation &op : graph.getBlock().without_terminator())
    if (!isCopied(&op) && failed(assignOp(&op)))
      return failure();
  for (DeviceAttr device : devices)
    if (failed(partFor(device, kShared, graph.getLoc())))
      return failure();
  if (failed(assignFeeds()) || failed(assignRest()))
    return failure();
  if (parts.size() == 1) {
    keepWhole();
    return success();
  }
  numberParts();
  divide();
  return success();
}

LogicalResult partitionGraph(GraphOp graph, bool byReplica,
                             ArrayRef<DeviceAttr> devices,
                             SymbolTable &symbols) {
  return GraphCut(graph, byReplica, devices, symbols).run();
}

} // namespace graphc
