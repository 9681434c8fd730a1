// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/WorkerAnalysis.h"

#include "lib/replication/Mirrors.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

WorkerAnalysis::WorkerAnalysis(GraphOp graph) {
  findVarying(graph);
  findShared(graph);
}

bool WorkerAnalysis::isGathered(OpOperand &operand) const {
  auto apply = dyn_cast<ApplyOp>(operand.getOwner());
  bool isGradient =
      apply && !apply.getCombined() && operand.getOperandNumber() == 0;
  return isGradient || varying.contains(operand.get());
}

bool WorkerAnalysis::isWorkers(Operation *op) const {
  return !isShared(op) && !isa<VariableAccess, ReturnOp>(op) &&
         !op->hasTrait<Rematerializable>();
}

void WorkerAnalysis::findVarying(GraphOp graph) {
  for (BlockArgument feed : graph.getBlock().getArguments())
    varying.insert(feed);
  for (Operation &op : graph.getBlock()) {
    bool varies = isa<NextOp, StepStateOp>(op) ||
                  llvm::any_of(op.getOperands(), [&](Value operand) {
                    return varying.contains(operand);
                  });
    hasUpdates |= isUpdate(&op);
    hasWork |= varies || isa<ApplyOp>(op);
    if (varies)
      varying.insert(op.result_begin(), op.result_end());
  }
  hasWork |= graph.getBlock().getNumArguments() != 0;
}

/// Upwards from the updates.
void WorkerAnalysis::findShared(GraphOp graph) {
  for (Operation &op : llvm::reverse(graph.getBlock())) {
    if (!isUpdate(&op) && !isShared(&op))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      Operation *maker = operand.get().getDefiningOp();
      if (maker && !isGathered(operand) && !isa<ReadOp>(maker) &&
          !maker->hasTrait<Rematerializable>())
        shared.insert(maker);
    }
  }
}

/// The variable beside which a shared op goes: one that it is computed from,
/// else one of an update that needs it.
static StringAttr anchorOf(Operation *op) {
  SmallVector<Operation *> work{op};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (!next || !seen.insert(next).second)
      continue;
    if (auto read = dyn_cast<ReadOp>(next))
      return read.getVariableAttr().getAttr();
    for (Value operand : next->getOperands())
      work.push_back(operand.getDefiningOp());
  }
  work.push_back(op);
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (isUpdate(next))
      return variablesOf(next).front().getAttr();
    work.append(next->user_begin(), next->user_end());
  }
  return {};
}

void placeShared(GraphOp graph, const WorkerAnalysis &analysis) {
  for (Operation &op : graph.getBlock()) {
    bool touches = isa<VariableAccess>(op);
    if (touches)
      followVariable(&op);
    bool isPlaced = getColocationAttr(&op) || getRequestedDeviceAttr(&op);
    if (isPlaced || (!isUpdate(&op) && !analysis.isShared(&op)))
      continue;
    StringAttr anchor =
        touches ? variablesOf(&op).front().getAttr() : anchorOf(&op);
    if (anchor)
      setColocation(&op, anchor);
  }
}

} // namespace graphc
