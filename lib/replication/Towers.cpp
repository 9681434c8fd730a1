// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/Towers.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

Towers::Towers(GraphOp graph, const TowerLayout &layout, const Mirrors &mirrors,
               const UpdateShards &shards)
    : graph(graph), layout(layout), mirrors(mirrors), shards(shards),
      towers(graph.getTowers()), analysis(graph, mirrors, layout.isPipeline),
      turns(graph), names(graph), placed(names),
      builder(graph.getContext(), &placed), requests(layout),
      sums(builder, placed, layout, towers) {}

//===-- Values and names --------------------------------------------------===//

Value Towers::inTower(Value value, int64_t tower) const {
  auto found = ofTowers.find(value);
  if (found != ofTowers.end())
    return inAllTowers[found->second + tower];
  return besideMirror(value, layout.deviceOf(tower, towers));
}

Towers::Values Towers::inTowers(Value value) const {
  Values values;
  for (int64_t tower = 0; tower < towers; ++tower)
    values.push_back(inTower(value, tower));
  return values;
}

Value Towers::besideMirror(Value value, unsigned copy) const {
  auto found = ofMirrors.find(value);
  if (copy == 0 || found == ofMirrors.end())
    return value;
  return found->second[copy - 1];
}

/// Puts `prefix/` before the name, if there is one.
void Towers::setName(NodeAttrList &attrs, StringRef prefix) {
  if (StringAttr name = attrs.getName())
    attrs.setName(builder.getStringAttr(
        names.take((prefix + "/" + name.getValue()).str())));
}

/// Those that are beside an op of the tower or a variable stay beside it.
void Towers::setColocation(NodeAttrList &attrs, StringRef prefix,
                           unsigned device) {
  StringAttr beside = attrs.getColocation();
  if (!beside)
    return;
  if (towerNames.contains(beside.getValue()))
    attrs.setColocation(
        builder.getStringAttr(prefix + "/" + beside.getValue()));
  else
    attrs.setColocation(
        mirrors.copyOf(FlatSymbolRefAttr::get(beside), device).getAttr());
}

void Towers::findTowerNames() {
  for (Operation *op : analysis.ops())
    if (auto name = getNodeName(op))
      if (analysis.isTower(op))
        towerNames.insert(name.getValue());
}

//===-- Feeds -------------------------------------------------------------===//

/// Each tower gets its rows of the feed.
void Towers::splitRows(BlockArgument feed, StringRef name) {
  RankedTensorType type = tensorType(feed);
  SmallVector<int64_t> whole(type.getShape()), begin(type.getRank(), 0);
  whole.front() *= towers;
  feed.setType(type.clone(whole));
  placed.enterScope("tower_split/" + name);
  placed.moveTo({layout.clientHost, {}});
  ofTowers[feed] = inAllTowers.size();
  for (int64_t tower = 0; tower < towers; ++tower) {
    begin.front() = tower * type.getDimSize(0);
    inAllTowers.push_back(SliceOp::create(builder, feed.getLoc(), type, feed,
                                          begin, type.getShape()));
  }
}

/// Appends the names of the feeds that come of one. The text of a graph can
/// spell a dot in them, and no slash.
void Towers::divideFeed(BlockArgument feed, StringRef name,
                        SmallVector<Attribute> &feeds) {
  if (!layout.perTower) {
    splitRows(feed, name);
    feeds.push_back(builder.getStringAttr(name));
    return;
  }
  ofTowers[feed] = inAllTowers.size();
  inAllTowers.push_back(feed);
  for (int64_t tower = 1; tower < towers; ++tower)
    inAllTowers.push_back(graph.getBlock().insertArgument(
        feed.getArgNumber() + tower, feed.getType(), feed.getLoc()));
  for (int64_t tower = 0; tower < towers; ++tower)
    feeds.push_back(
        builder.getStringAttr("tower_" + Twine(tower) + "." + name));
}

void Towers::divideFeeds() {
  DenseBoolArrayAttr split = graph.getSplitFeedsAttr();
  if (!split)
    return;
  builder.setInsertionPointToStart(&graph.getBlock());
  SmallVector<BlockArgument> arguments(graph.getBlock().getArguments());
  SmallVector<Attribute> feeds;
  for (auto [feed, name, isSplit] :
       llvm::zip(arguments, graph.getFeedNames().getAsRange<StringAttr>(),
                 split.asArrayRef()))
    if (isSplit)
      divideFeed(feed, name.getValue(), feeds);
    else
      feeds.push_back(name);
  graph.setFeedNamesAttr(builder.getArrayAttr(feeds));
}

//===-- Ops ---------------------------------------------------------------===//

LogicalResult checkRandom(PhiloxUniformOp op, int64_t towers) {
  // 32 bits, 16 to a block of 64.
  constexpr int64_t kMax = int64_t(1) << 34;
  int64_t elements = tensorType(op.getOutput()).getNumElements();
  if (elements <= kMax / towers)
    return success();
  return op.emitOpError() << "makes " << elements << " elements in each of "
                          << towers << " towers, at most " << kMax
                          << " are possible in all; use fewer towers, or "
                             "smaller tensors";
}

/// The attributes of an op in a tower.
DictionaryAttr Towers::attributesIn(Operation *op, int64_t tower,
                                    DeviceAttr request) {
  std::string prefix = "tower_" + std::to_string(tower);
  NodeAttrList attrs(op);
  setName(attrs, prefix);
  setColocation(attrs, prefix, layout.deviceOf(tower, towers));
  if (request)
    attrs.setRequestedDevice(request);
  // The state of a step has the tower as an attribute of its own. Batches are
  // of no tower: then they come to all of them from elsewhere, also to one on
  // the same CPU, and every tower becomes the same program.
  if (!isa<StepStateOp, NextOp>(op))
    attrs.setTower(builder.getI64IntegerAttr(tower));
  return attrs.getDictionary();
}

/// Copies the bodies of an op, in which names get the prefix.
static void cloneBodies(Operation *op, Operation *clone, StringRef prefix,
                        UniqueNames &names) {
  Builder builder(op->getContext());
  for (auto [from, to] : llvm::zip(op->getRegions(), clone->getRegions())) {
    IRMapping mapping;
    from.cloneInto(&to, mapping);
    to.walk([&](Operation *inner) {
      if (StringAttr name = getNodeName(inner))
        setNodeName(inner, builder.getStringAttr(names.take(
                               (prefix + "/" + name.getValue()).str())));
    });
  }
}

Operation *Towers::cloneForTower(Operation *op, int64_t tower) {
  DeviceAttr request = requests.requestFor(op, layout.deviceOf(tower, towers));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(inTower(operand, tower));
  Operation *clone = Operation::create(
      op->getLoc(), op->getName(), op->getResultTypes(), operands,
      attributesIn(op, tower, request), op->getPropertiesStorage(),
      BlockRange(), op->getNumRegions());
  cloneBodies(op, clone, "tower_" + std::to_string(tower), names);
  if (auto state = dyn_cast<StepStateOp>(clone)) {
    state.setReplica(tower);
  } else if (auto next = dyn_cast<NextOp>(clone)) {
    next.setShard(tower);
    next.setShards(towers);
  }
  if (std::optional<int64_t> place = getSlot(op))
    setSlot(clone, turns.of(*place, tower));
  op->getBlock()->getOperations().insert(op->getIterator(), clone);
  return clone;
}

LogicalResult Towers::cloneForTowers(Operation *op) {
  if (auto random = dyn_cast<PhiloxUniformOp>(op))
    if (failed(checkRandom(random, towers)))
      return failure();
  size_t start = inAllTowers.size();
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    ofTowers[result] = start + number * towers;
  inAllTowers.resize(start + op->getNumResults() * towers);
  for (int64_t tower = 0; tower < towers; ++tower) {
    Operation *clone = cloneForTower(op, tower);
    for (auto [number, result] : llvm::enumerate(clone->getResults()))
      inAllTowers[start + number * towers + tower] = result;
  }
  return success();
}

Operation *Towers::cloneForMirror(Operation *op, unsigned copy) {
  Operation *clone = op->cloneWithoutRegions();
  for (OpOperand &operand : clone->getOpOperands())
    operand.set(besideMirror(operand.get(), copy));
  mirrors.redirect(clone, copy);
  NodeAttrList attrs(op);
  std::string prefix = "mirror_" + std::to_string(copy);
  cloneBodies(op, clone, prefix, names);
  setName(attrs, prefix);
  if (StringAttr beside = attrs.getColocation())
    attrs.setColocation(
        mirrors.copyOf(FlatSymbolRefAttr::get(beside), copy).getAttr());
  attrs.setRequestedDevice(layout.devices[copy].name);
  clone->setDiscardableAttrs(attrs.getDictionary());
  return clone;
}

/// Copies a shared op, or the read of a mirrored variable, for the other
/// devices.
void Towers::cloneForMirrors(Operation *op) {
  setRequestedDevice(op, layout.devices.front().name);
  SmallVector<Values> results(op->getNumResults());
  Block::iterator behind = std::next(op->getIterator());
  for (unsigned copy = 1; copy < layout.copies(); ++copy) {
    Operation *clone = cloneForMirror(op, copy);
    op->getBlock()->getOperations().insert(behind, clone);
    for (auto [values, result] : llvm::zip(results, clone->getResults()))
      values.push_back(result);
  }
  for (auto [value, values] : llvm::zip(op->getResults(), results))
    ofMirrors[value] = std::move(values);
}

/// Completes a shared op: rates and the like stay with the variables, not on
/// the first GPU.
void Towers::completeShared(Operation *op) {
  setSlot(op, std::nullopt); // of no micro-batch
  auto beside = getColocation(op);
  if (beside && towerNames.contains(beside.getValue()))
    tfir::setColocation(op,
                        builder.getStringAttr("tower_0/" + beside.getValue()));
  DeviceAttr device = layout.mirrored ? layout.clientHost : layout.variables;
  if (device && !beside && !getRequestedDeviceAttr(op) &&
      !isa<ReadOp, CustomOp>(op) && !op->hasTrait<Rematerializable>())
    setRequestedDevice(op, device);
}

LogicalResult Towers::visit(Operation *op) {
  if (isa<VariableAccess>(op)) {
    gatherBefore(op);
    followVariable(op);
  }
  if (isSharded(op))
    return visitSharded(cast<ApplyOp>(op));
  if (isUpdate(op))
    return visitUpdate(op);
  if (analysis.isTower(op) && failed(cloneForTowers(op)))
    return failure();
  if (analysis.isMirroredRead(op) ||
      (analysis.isMirrored(op) && !getRequestedDeviceAttr(op)))
    cloneForMirrors(op);
  else if (analysis.isShared(op))
    completeShared(op);
  return success();
}

/// Erases ops that only towers used.
void Towers::eraseUnused() {
  for (Operation *op : llvm::reverse(analysis.ops()))
    if (analysis.isTower(op) && op->use_empty())
      op->erase();
}

LogicalResult Towers::run() {
  findTowerNames();
  divideFeeds();
  for (Operation *op : analysis.ops())
    if (failed(visit(op)))
      return failure();
  if (failed(visitReturn()))
    return failure();
  eraseUnused();
  graph.removeSplitFeedsAttr();
  graph.removeSplitFetchesAttr();
  return success();
}

} // namespace graphc
