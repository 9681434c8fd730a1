// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns state into values within each graph:
//
//   %w = read @w; assign @w, %a; %v = read @w; assign @w, %b
//     -> %w = read @w; ...; assign @w, %b      with %a for %v
//
// Relies on flat device scopes and tfir-expand-state. Guarantees: at most one
// read of each variable, at the top, and one assignment, at the end; lookups of
// rows stand beside the variable, where nobody asks for another place.
#include "graphc/Passes.h"

#include "lib/frontend/FlatGraph.h"
#include "lib/replication/state/ColocateRows.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PROMOTEVARIABLESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// One variable within one graph.
struct State {
  Value value;      ///< at this point of the program
  ReadOp read;      ///< of the value at the start
  AssignOp written; ///< the last one so far
};

/// Fails when an op is left that touches variables in another way.
LogicalResult requireReadsAndAssigns(GraphOp graph) {
  for (Operation &op : graph.getBlock())
    if (auto access = dyn_cast<VariableAccess>(op);
        (access && access.isCompoundUpdate()) ||
        op.hasTrait<ReplacedByGradients>())
      return op.emitOpError("is left; run tfir-differentiate and "
                            "tfir-expand-state before this pass");
  return success();
}

void visitRead(ReadOp read, State &state) {
  if (state.value) {
    read.replaceAllUsesWith(state.value);
    read.erase();
    return;
  }
  state.value = read.getValue();
  state.read = read;
}

void visitAssign(AssignOp assign, State &state) {
  if (state.written)
    state.written.erase();
  state.value = assign.getValue();
  state.written = assign;
}

/// Moves what is left of the state's ops to the top and the end of the block.
void moveOut(State &state, Block &block, Operation *&lastRead) {
  if (state.written && state.read &&
      state.written.getValue() == state.read.getValue())
    state.written.erase(); // it has this value anyway
  else if (state.written)
    state.written->moveBefore(block.getTerminator());
  if (!state.read)
    return;
  if (state.read->use_empty()) {
    state.read.erase();
    return;
  }
  if (lastRead)
    state.read->moveAfter(lastRead);
  else
    state.read->moveBefore(&block.front());
  lastRead = state.read;
}

void promote(GraphOp graph) {
  llvm::MapVector<StringAttr, State> states;
  for (Operation &op : llvm::make_early_inc_range(graph.getBlock()))
    if (auto read = dyn_cast<ReadOp>(op))
      visitRead(read, states[read.getVariableAttr().getAttr()]);
    else if (auto assign = dyn_cast<AssignOp>(op))
      visitAssign(assign, states[assign.getVariableAttr().getAttr()]);
  Operation *lastRead = nullptr;
  for (auto &[variable, state] : states)
    moveOut(state, graph.getBlock(), lastRead);
}

struct PromoteVariablesPass
    : impl::PromoteVariablesPassBase<PromoteVariablesPass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>()) {
      if (failed(requireFlat(graph)) || failed(requireReadsAndAssigns(graph)))
        return signalPassFailure();
      promote(graph);
      colocateRows(graph);
    }
  }
};

} // namespace
} // namespace graphc
