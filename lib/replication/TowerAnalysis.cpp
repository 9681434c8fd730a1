// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/TowerAnalysis.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

TowerAnalysis::TowerAnalysis(GraphOp graph, const Mirrors &mirrors,
                             bool sharesEqual)
    : mirrors(mirrors), sharesEqual(sharesEqual), end(graph.getReturn()) {
  for (Operation &op : graph.getBlock().without_terminator())
    all.push_back(&op);
  flags.reserve(all.size());
  findVarying(graph);
  findUsers();
}

int64_t TowerAnalysis::positionOf(Value value) const {
  Operation *op = value.getDefiningOp();
  return op ? flagsOf(op).position : -1;
}

const TowerAnalysis::Flags &TowerAnalysis::flagsOf(Operation *op) const {
  return flags.find(op)->second;
}

bool TowerAnalysis::isMirroredRead(Operation *op) const {
  auto read = dyn_cast<ReadOp>(op);
  const Flags &own = flagsOf(op);
  return read && mirrors.isMirrored(read.getVariableAttr()) &&
         (own.usedByTower || own.update);
}

/// Downwards: rows of examples and numbers of towers, and what follows from
/// them.
void TowerAnalysis::findVarying(GraphOp graph) {
  if (DenseBoolArrayAttr split = graph.getSplitFeedsAttr())
    for (auto [feed, isSplit] :
         llvm::zip(graph.getBlock().getArguments(), split.asArrayRef()))
      if (isSplit)
        varying.insert(feed);
  for (auto [position, op] : llvm::enumerate(all)) {
    Flags &own = flags[op];
    own.position = static_cast<int64_t>(position);
    auto read = dyn_cast<ReadOp>(op);
    own.fromMirror = read && mirrors.isMirrored(read.getVariableAttr());
    bool varies = isa<NextOp>(op);
    for (Value operand : op->getOperands()) {
      varies |= varying.contains(operand);
      if (Operation *maker = operand.getDefiningOp())
        own.fromMirror |= flagsOf(maker).fromMirror;
    }
    if (auto state = dyn_cast<StepStateOp>(op)) {
      varying.insert(state.getReplicaWord());
    } else if (varies && !isUpdate(op)) {
      own.tower = true;
      varying.insert(op->result_begin(), op->result_end());
    }
  }
}

/// True when the op makes something that differs between towers.
bool TowerAnalysis::isVarying(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return varying.contains(result); });
}

/// Upwards: who needs what.
void TowerAnalysis::findUsers() {
  auto visit = [&](Operation *user, const Flags &needs) {
    for (Value operand : user->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker)
        continue;
      Flags &own = flags[maker];
      if (needs.tower) {
        own.usedByTower = true;
        if (sharesEqual && !isVarying(maker))
          own.shared = true;
        else
          own.tower |= !isa<ReadOp, ConstOp>(maker);
      }
      // The sum over the towers stands for what varies.
      if (!varying.contains(operand)) {
        own.shared |= needs.shared;
        own.update |= needs.update;
      } else {
        own.tower = true;
      }
    }
  };
  Flags fetches;
  fetches.shared = true;
  visit(end, fetches);
  for (Operation *op : llvm::reverse(all)) {
    Flags &own = flags[op];
    if (isUpdate(op)) {
      own.shared = true;
      own.update = true;
    }
    visit(op, own);
  }
}

} // namespace graphc
