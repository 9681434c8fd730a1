// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins towers at updates of variables, and at fetches.
#include "dialects/tfir/OpWork.h"
#include "dialects/tfir/Support.h"
#include "lib/replication/Towers.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

//===-- Gradients ---------------------------------------------------------===//

/// Chooses the reduction of gradients: a ring once they are large.
Reduce Towers::reduceOf() {
  if (decided)
    return *decided;
  decided = layout.reduce;
  if (layout.reduce != Reduce::Auto)
    return *decided;
  int64_t bytes = 0;
  for (Operation *op : analysis.ops())
    if (auto apply = dyn_cast<ApplyOp>(op))
      bytes += bytesOf(apply.getGradient().getType());
  // Between tasks, a ring of all devices carries more bytes.
  Reduce large = layout.devicesPerTask() ? Reduce::Hierarchical : Reduce::Ring;
  decided = bytes >= kRingBytes ? large : Reduce::Tree;
  return *decided;
}

/// True for an op of mirrors whose first operand is a gradient that differs
/// between towers: an apply, or the assignment of what is changed before it.
bool Towers::takesGradient(Operation *op) const {
  if (!isUpdate(op) || !analysis.varies(op->getOperand(0)))
    return false;
  FlatSymbolRefAttr variable = variablesOf(op).front();
  return isa<ApplyOp>(op) ? mirrors.isMirrored(variable)
                          : mirrors.isMirroredScratch(variable);
}

/// The updates from this one on whose gradients are known before it: those of
/// which each device needs its rows, then those that all need whole, each in
/// the order in which backpropagation makes them.
SmallVector<Operation *> Towers::gradientsReadyAt(Operation *first) const {
  int64_t start = analysis.positionOf(first);
  SmallVector<Operation *> ready;
  for (Operation *op : analysis.ops().drop_front(start)) {
    if (!takesGradient(op))
      continue;
    if (analysis.positionOf(op->getOperand(0)) > start)
      break;
    ready.push_back(op);
  }
  llvm::sort(ready, [&](Operation *a, Operation *b) {
    auto key = [&](Operation *op) {
      return std::tuple(!isSharded(op), analysis.positionOf(op->getOperand(0)),
                        analysis.positionOf(op));
    };
    return key(a) < key(b);
  });
  return ready;
}

/// The variable that a gradient is for: `w`, also of `w/Gradient`.
static StringRef trainedBy(Operation *op) {
  StringRef name = variablesOf(op).front().getValue();
  return isa<ApplyOp>(op) ? name : name.rsplit('/').first;
}

void Towers::reduceTogether(ArrayRef<Operation *> bucket) {
  if (bucket.empty())
    return;
  SmallVector<Values> parts;
  for (Operation *op : bucket)
    parts.push_back(inTowers(op->getOperand(0)));
  Operation *first = bucket.front();
  Type element = getElementTypeOrSelf(first->getOperand(0).getType());
  if (reduceOf() == Reduce::Nccl && !element.isF32())
    first->emitWarning() << "the gradient of '" << trainedBy(first)
                         << "' is of " << element
                         << ", which --reduce=nccl leaves to the ring: a "
                            "library adds up f32 alone";
  placed.enterScope("tower_mean/" +
                    (bucket.size() > 1 ? "bucket" : trainedBy(first)));
  SmallVector<Values> reduced =
      isSharded(first)
          ? sums.reduceScatter(shardedReduce(), first->getLoc(), parts,
                               shardsOf(bucket), /*isMean=*/true)
          : sums.allReduce(reduceOf(), first->getLoc(), parts, /*isMean=*/true);
  for (auto [op, values] : llvm::zip(bucket, reduced))
    gradients[op] = values;
}

/// Small gradients of one type travel together.
void Towers::reduceGradientsFrom(Operation *first) {
  SmallVector<Operation *> bucket;
  int64_t bytes = 0;
  auto flush = [&] {
    reduceTogether(bucket);
    bucket.clear();
    bytes = 0;
  };
  for (Operation *op : gradientsReadyAt(first)) {
    Value gradient = op->getOperand(0);
    if (bytesOf(gradient.getType()) >= kBucketBytes) {
      reduceTogether(op);
      continue;
    }
    if (!bucket.empty() &&
        (getElementTypeOrSelf(bucket.front()->getOperand(0).getType()) !=
             getElementTypeOrSelf(gradient.getType()) ||
         isSharded(bucket.front()) != isSharded(op)))
      flush();
    bucket.push_back(op);
    bytes += bytesOf(gradient.getType());
    if (bytes >= kBucketBytes)
      flush();
  }
  flush();
}

//===-- Updates -----------------------------------------------------------===//

/// True for what is added to sums of an evaluation, which are those of all
/// towers.
static bool isAddedUp(Operation *op) {
  auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
      op, variablesOf(op).front());
  return cast<VariableAccess>(op).isAccumulation() && variable &&
         variable.getTransient();
}

/// Returns the operand's values for the copies of an update.
FailureOr<Towers::Values>
Towers::reduceOperand(Operation *op, OpOperand &operand, unsigned copies) {
  Value value = operand.get();
  Values reduced;
  if (!analysis.varies(value)) {
    for (unsigned copy = 0; copy < copies; ++copy)
      reduced.push_back(besideMirror(value, copy));
    return reduced;
  }
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  bool isBool = getElementTypeOrSelf(value.getType()).isInteger(1);
  FlatSymbolRefAttr variable = variablesOf(op).front();
  if (!isFloat && (isBool || !cast<VariableAccess>(op).isAccumulation()))
    return op->emitOpError()
           << "gives the variable '" << variable.getValue() << "' "
           << value.getType() << ", which differs between the " << towers
           << " towers, and there is no mean of it; count with "
              "tfir.assign_add, assign floats, or compile with "
              "--replicate=none";
  if (copies > 1 && operand.getOperandNumber() == 0 && takesGradient(op)) {
    if (!gradients.count(op))
      reduceGradientsFrom(op);
    return gradients.find(op)->second;
  }
  bool isMean = isFloat && !isAddedUp(op);
  placed.enterScope((isMean ? "tower_mean/" : "tower_sum/") +
                    variable.getValue());
  if (copies > 1)
    return sums.allReduce(Reduce::Tree, op->getLoc(), inTowers(value),
                          isMean)[0];
  reduced.push_back(sums.reduceTo({{}, variable.getAttr()}, op->getLoc(),
                                  inTowers(value), isMean));
  return reduced;
}

LogicalResult Towers::visitUpdate(Operation *op) {
  bool isMirrored = mirrors.isMirrored(variablesOf(op).front());
  unsigned copies = isMirrored ? layout.copies() : 1;
  builder.setInsertionPoint(op);
  SmallVector<Values> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Values> values = reduceOperand(op, operand, copies);
    if (failed(values))
      return failure();
    operands.push_back(std::move(*values));
  }
  Block::iterator behind = std::next(op->getIterator());
  for (unsigned copy = 0; copy < copies; ++copy) {
    Operation *update = copy ? cloneForMirror(op, copy) : op;
    for (auto [operand, values] : llvm::zip(update->getOpOperands(), operands))
      operand.set(values[copy]);
    if (copy)
      op->getBlock()->getOperations().insert(behind, update);
  }
  if (isMirrored)
    setRequestedDevice(op, layout.devices.front().name);
  return success();
}

//===-- Fetches -----------------------------------------------------------===//

/// One value for those of all towers: their rows, their mean or their sum.
FailureOr<Value> Towers::reduceFetch(Value value, StringRef name,
                                     bool isSplit) {
  Location loc = graph.getReturn().getLoc();
  RankedTensorType type = tensorType(inTower(value, 0));
  PlacementTarget target{layout.clientHost, {}};
  if (isSplit && isa<BlockArgument>(value) && !layout.perTower)
    return value; // whole, as it was fed
  if (isSplit) {
    placed.enterScope("tower_concat/" + name);
    placed.moveTo(target);
    SmallVector<int64_t> shape(type.getShape());
    shape.front() *= towers;
    return Value(ConcatOp::create(builder, loc, type.clone(shape),
                                  inTowers(value), /*axis=*/0));
  }
  if (type.getElementType().isInteger(1))
    return emitError(loc) << "the fetch '" << name << "' of the graph '"
                          << graph.getSymName()
                          << "' is a bool that differs between the " << towers
                          << " towers; cast it to a number, or compile with "
                             "--replicate=none";
  bool isFloat = isa<FloatType>(type.getElementType());
  placed.enterScope((isFloat ? "tower_mean/" : "tower_sum/") + name);
  return sums.reduceTo(target, loc, inTowers(value), isFloat);
}

LogicalResult Towers::visitReturn() {
  ReturnOp end = graph.getReturn();
  builder.setInsertionPoint(end);
  gather();
  DenseBoolArrayAttr split = graph.getSplitFetchesAttr();
  DenseMap<Value, Value> done; // a value may be fetched under several names
  SmallVector<Attribute> types;
  for (auto [operand, name] :
       llvm::zip(end->getOpOperands(),
                 graph.getFetchNames().getAsRange<StringAttr>())) {
    Value value = operand.get();
    unsigned number = operand.getOperandNumber();
    if (analysis.varies(value) && !done.count(value)) {
      FailureOr<Value> reduced = reduceFetch(
          value, name.getValue(), split && split.asArrayRef()[number]);
      if (failed(reduced))
        return failure();
      done[value] = *reduced;
    }
    if (auto found = done.find(value); found != done.end())
      operand.set(found->second);
    types.push_back(TypeAttr::get(operand.get().getType()));
  }
  graph.setFetchTypesAttr(builder.getArrayAttr(types));
  return success();
}

} // namespace graphc
