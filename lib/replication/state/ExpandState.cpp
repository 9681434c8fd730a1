// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the graph `init` and those that begin evaluations, and writes updates
// of variables as arithmetic:
//
//   tfir.assign_add @n, %one  ->  tfir.read @n; tfir.add; tfir.assign @n
//
// Rows are gathered, updated and put back where a gradient consists of rows
// that lookups have named, and the optimizer leaves all others alone.
//
// Guarantees: tfir.read and tfir.assign alone touch variables.
#include "graphc/Passes.h"

#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "dialects/tfir/training/Arithmetic.h"
#include "dialects/tfir/training/RowUpdates.h"
#include "lib/autodiff/DerivedOps.h"
#include "lib/replication/state/ForwardScratch.h"
#include "lib/replication/state/MakeInitGraph.h"
#include "lib/replication/state/MakeResetGraphs.h"
#include "lib/replication/state/RowGradient.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_EXPANDSTATEPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// Expands the updates of one graph.
class Expansion {
public:
  Expansion(GraphOp graph, const SymbolTable &symbols)
      : symbols(symbols), names(graph), derived(names),
        builder(graph.getContext(), &derived) {}

  void visit(Operation *op);

private:
  void expand(ApplyOp op);
  void expand(UpdateAverageOp op);
  void expand(AssignRowsOp op);
  template <typename Sum, typename Op> void expandSum(Op op);
  Value read(Location loc, FlatSymbolRefAttr variable, Type type);
  ArrayRef<Value> sharedOf(ApplyOp op, ValueRange powers);

  const SymbolTable &symbols;
  UniqueNames names;
  DerivedOps derived;
  OpBuilder builder;
  /// Scalars of an optimizer's step by the written rate, and the optimizer and
  /// the powers with the type of the variable: variables that are trained
  /// together share them.
  DenseMap<std::pair<Value, Attribute>, SmallVector<Value>> shared;
  DenseMap<Value, Value> shares; ///< 1 - decay, by the decay of averages
};

Value Expansion::read(Location loc, FlatSymbolRefAttr variable, Type type) {
  return ReadOp::create(builder, loc, type, variable, /*average=*/UnitAttr());
}

/// In the type of the variable.
ArrayRef<Value> Expansion::sharedOf(ApplyOp op, ValueRange powers) {
  Type element = getElementTypeOrSelf(op.getGradient().getType());
  Arithmetic a{builder, op.getLoc()};
  SmallVector<Attribute> key{op.getOptimizerAttr(), TypeAttr::get(element)};
  if (!powers.empty())
    llvm::append_range(key,
                       op.getSlotsAttr().getValue().take_back(powers.size()));
  SmallVector<Value> &values =
      shared[{op.getRate(), builder.getArrayAttr(key)}];
  // A value that is only cast is made where it is needed.
  if (powers.empty())
    values.clear();
  if (values.empty())
    for (Value value : op.getOptimizer().buildShared(a, op.getRate(), powers))
      values.push_back(a.cast(value, element));
  return values;
}

void Expansion::expand(ApplyOp op) {
  Arithmetic a{builder, op.getLoc()};
  RankedTensorType type = tensorType(op.getGradient());
  SmallVector<FlatSymbolRefAttr> slots;
  if (ArrayAttr attr = op.getSlotsAttr())
    llvm::append_range(slots, attr.getAsRange<FlatSymbolRefAttr>());
  OptimizerAttrInterface optimizer = op.getOptimizer();
  size_t own = optimizer.getSlotValues().size();
  SmallVector<Value> powers, old;
  for (FlatSymbolRefAttr power : ArrayRef(slots).drop_front(own))
    powers.push_back(read(a.loc, power, sharedPowerType(builder.getContext())));
  Value w = read(a.loc, op.getVariableAttr(), type);
  for (FlatSymbolRefAttr slot : ArrayRef(slots).take_front(own))
    old.push_back(read(a.loc, slot, type));
  SmallVector<Value> scalars(sharedOf(op, powers));
  std::optional<TouchedRows> touched;
  if (keepsWithoutGradient(optimizer))
    touched = buildTouchedRows(builder, op.getGradient());
  Value gradient = touched ? touched->gradient : op.getGradient();
  // Of what is updated: all, or the rows.
  auto part = [&](Value whole) -> Value {
    return touched ? GatherOp::create(builder, a.loc, gradient.getType(), whole,
                                      touched->rows, /*axis=*/0)
                   : whole;
  };
  Value current = part(w);
  SmallVector<Value> parts = llvm::map_to_vector(old, part);
  OptimizerUpdate update =
      optimizer.buildUpdate(a, current, gradient, scalars, parts);
  Value isDone = op.getWhen() ? a.isPositive(op.getWhen()) : Value();
  auto assign = [&](FlatSymbolRefAttr variable, Value value, Value before,
                    Value whole) {
    if (isDone)
      value = a.select(isDone, value, before);
    if (touched)
      value = ScatterUpdateOp::create(builder, a.loc, type, whole,
                                      touched->rows, value);
    AssignOp::create(builder, a.loc, variable, value);
  };
  assign(op.getVariableAttr(), update.variable, current, w);
  for (auto [slot, value, before, whole] :
       llvm::zip(slots, update.slots, parts, old))
    assign(slot, value, before, whole);
}

void Expansion::expand(UpdateAverageOp op) {
  Arithmetic a{builder, op.getLoc()};
  auto variable = symbols.lookup<VariableOp>(op.getVariable());
  RankedTensorType type = variable.getTensorType();
  Value average = read(a.loc, op.getAverageAttr(), type);
  Value value = read(a.loc, op.getVariableAttr(), type);
  Value &share = shares[op.getDecay()];
  if (!share)
    share = a.sub(a.number(op.getDecay(), 1), op.getDecay());
  Value step =
      a.mul(a.sub(average, value), a.cast(share, type.getElementType()));
  Value next = a.sub(average, step);
  AssignOp::create(builder, a.loc, op.getAverageAttr(), next);
}

template <typename Sum, typename Op> void Expansion::expandSum(Op op) {
  Arithmetic a{builder, op.getLoc()};
  Value old = read(a.loc, op.getVariableAttr(), op.getValue().getType());
  AssignOp::create(builder, a.loc, op.getVariableAttr(),
                   a.binary<Sum>(old, op.getValue()));
}

/// Beside the variable, so that it is not sent, unless something else is asked
/// for.
void Expansion::expand(AssignRowsOp op) {
  auto variable = symbols.lookup<VariableOp>(op.getVariable());
  if (!getColocationAttr(op) && !getRequestedDeviceAttr(op))
    derived.enterVariable(nameOf(op), variable);
  Value old = read(op.getLoc(), op.getVariableAttr(), variable.getTensorType());
  AssignOp::create(builder, op.getLoc(), op.getVariableAttr(),
                   op.buildValue(builder, old));
}

void Expansion::visit(Operation *op) {
  if (isa<AssignOp>(op))
    shared.clear(); // perhaps of a power
  auto access = dyn_cast<VariableAccess>(op);
  if (!access || !access.isCompoundUpdate())
    return;
  builder.setInsertionPoint(op);
  derived.enterScope(nameOf(op), op);
  if (auto apply = dyn_cast<ApplyOp>(op))
    expand(apply);
  else if (auto average = dyn_cast<UpdateAverageOp>(op))
    expand(average);
  else if (auto rows = dyn_cast<AssignRowsOp>(op))
    expand(rows);
  else if (auto add = dyn_cast<AssignAddOp>(op))
    expandSum<AddOp>(add);
  else
    expandSum<SubOp>(cast<AssignSubOp>(op));
  op->erase();
}

struct ExpandStatePass : impl::ExpandStatePassBase<ExpandStatePass> {
  void runOnOperation() override {
    eraseScratch(getOperation());
    if (failed(makeResetGraphs(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (auto graph : getOperation().getOps<GraphOp>()) {
      Expansion expansion(graph, symbols);
      graph.getBody().walk([&](Operation *op) { expansion.visit(op); });
    }
    eraseScratch(getOperation()); // what was updated
    if (failed(makeInitGraph(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace graphc
