// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a worker's instance, other workers may update variables between the time
// when a partition sends their values and the time when it updates them. So the
// update part of a partition is made to read variables itself:
//
//   %s = read @step; %n = add %s, 1; send %n; assign @step, %n
//     -> %n = add %s, 1; send %n; %m = add %s, 1 {level = ...}; assign @step,
//     %m
//
// Guarantees: no op with the update's level is needed by a send; the level
// keeps it out of the kernels of others.
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_SPLITUPDATESPASS
#include "graphc/Passes.h.inc"

namespace {

/// The level (tfir.recv) of what belongs to the update part: after all
/// transfers.
constexpr int64_t kUpdateLevel = int64_t(1) << 40;

/// One partition.
class UpdateSplit {
public:
  explicit UpdateSplit(GraphOp graph) : graph(graph) {}

  void run();

private:
  void findEarly();
  void findState();
  bool isComputed(Operation *op) const {
    return op && !op->hasTrait<Rematerializable>() &&
           !op->hasTrait<MovesValues>() && !isa<VariableAccess, ReturnOp>(op);
  }
  Value ownCopy(Value value);

  GraphOp graph;
  llvm::DenseSet<Operation *> early; ///< a send needs it
  /// Follows from state alone, some of which the graph assigns.
  llvm::DenseSet<Operation *> fromState;
  llvm::DenseMap<Operation *, Operation *> copies;
};

void UpdateSplit::findEarly() {
  for (Operation &op : llvm::reverse(graph.getBlock()))
    if (isa<SendOp>(op) || early.contains(&op))
      for (Value operand : op.getOperands())
        if (Operation *maker = operand.getDefiningOp())
          early.insert(maker);
}

void UpdateSplit::findState() {
  llvm::DenseSet<Attribute> assigned;
  for (auto assign : graph.getBlock().getOps<AssignOp>())
    assigned.insert(assign.getVariableAttr());
  llvm::DenseSet<Operation *> pure; // from reads and constants alone
  for (Operation &op : graph.getBlock()) {
    if (isa<ReadOp, ConstOp>(op)) {
      pure.insert(&op);
      if (auto read = dyn_cast<ReadOp>(op);
          read && assigned.contains(read.getVariableAttr()))
        fromState.insert(&op);
      continue;
    }
    if (!isComputed(&op))
      continue;
    bool isPure = true, changes = false;
    for (Value operand : op.getOperands()) {
      Operation *maker = operand.getDefiningOp();
      isPure &= maker && pure.contains(maker);
      changes |= maker && fromState.contains(maker);
    }
    if (isPure)
      pure.insert(&op);
    if (isPure && changes)
      fromState.insert(&op);
  }
}

/// The value for the update part: computed once more if a send needs it, too,
/// and the state may have changed by then.
Value UpdateSplit::ownCopy(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!isComputed(maker) || !early.contains(maker) ||
      !fromState.contains(maker))
    return value;
  Operation *&copy = copies[maker];
  if (!copy) {
    copy = maker->clone();
    graph.getBlock().getOperations().insertAfter(Block::iterator(maker), copy);
    Operation *made = copy; // `copies` may grow
    for (OpOperand &operand : made->getOpOperands())
      operand.set(ownCopy(operand.get()));
    return made->getResult(cast<OpResult>(value).getResultNumber());
  }
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

void UpdateSplit::run() {
  if (graph.getBlock().getOps<AssignOp>().empty())
    return;
  findEarly();
  findState();
  SmallVector<Operation *> late;
  for (Operation &op : graph.getBlock())
    if (!early.contains(&op) && (isComputed(&op) || isa<AssignOp>(op)))
      late.push_back(&op);
  for (Operation *op : late)
    for (OpOperand &operand : op->getOpOperands())
      operand.set(ownCopy(operand.get()));
  Builder b(graph.getContext());
  IntegerAttr level = b.getI64IntegerAttr(kUpdateLevel);
  for (Operation *op : late)
    if (isComputed(op))
      setDependencyLevel(op, level);
  for (auto [maker, copy] : copies)
    setDependencyLevel(copy, level);
}

struct SplitUpdatesPass : impl::SplitUpdatesPassBase<SplitUpdatesPass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (graph.isCoordinated())
        UpdateSplit(graph).run();
  }
};

} // namespace
} // namespace graphc
