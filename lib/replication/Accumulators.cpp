// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/Accumulators.h"

#include "dialects/tfir/Support.h"
#include "dialects/tfir/training/Arithmetic.h"
#include "lib/autodiff/DerivedOps.h"
#include "lib/replication/Mirrors.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

class UpdateCut {
public:
  UpdateCut(GraphOp graph, int64_t quorum, SymbolTable &symbols)
      : graph(graph), quorum(quorum), symbols(symbols), analysis(graph) {}

  FailureOr<GraphOp> run();

private:
  LogicalResult check(Operation *op, OpOperand &operand);
  VariableOp declare(VariableOp of, Operation *op, RankedTensorType type);
  void addTo(Operation *op, OpOperand &operand, VariableOp sum);
  void takeFrom(Operation *clone, unsigned operand, VariableOp sum);
  void eraseOthers(GraphOp apply);

  GraphOp graph;
  int64_t quorum;
  SymbolTable &symbols;
  WorkerAnalysis analysis;
};

LogicalResult UpdateCut::check(Operation *op, OpOperand &operand) {
  Type element = getElementTypeOrSelf(operand.get().getType());
  if (isa<FloatType>(element) ||
      (cast<VariableAccess>(op).isAccumulation() && !element.isInteger(1)))
    return success();
  return op->emitOpError()
         << "gives the variable '" << variablesOf(op).front().getValue() << "' "
         << operand.get().getType()
         << ", which differs between workers, and there is no mean of it; "
            "count with tfir.assign_add, assign floats, or compile with "
            "--sync=all";
}

/// The sum of what workers give, beside the variable that is updated.
VariableOp UpdateCut::declare(VariableOp of, Operation *op,
                              RankedTensorType type) {
  StringRef suffix = isa<ApplyOp>(op) || of.getScratch() ? "/grad_accum"
                                                         : "/value_accum";
  if (of.getScratch())
    of = symbols.lookup<VariableOp>(getColocation(of));
  OpBuilder b(of.getContext());
  b.setInsertionPointAfter(of);
  auto sum =
      VariableOp::create(b, of.getLoc(), (of.getSymName() + suffix).str(), type,
                         FillAttr::get(b.getContext(), 0),
                         /*trainable=*/false);
  symbols.insert(sum, b.getInsertionPoint()); // with a number if it is taken
  sum.setTransient(true);
  sum.setColocation(of.getSymNameAttr());
  sum.setRequestedDevice(of.getRequestedDevice());
  return sum;
}

/// In the worker's graph.
void UpdateCut::addTo(Operation *op, OpOperand &operand, VariableOp sum) {
  OpBuilder b(op);
  auto add = AssignAddOp::create(b, op->getLoc(),
                                 FlatSymbolRefAttr::get(sum.getSymNameAttr()),
                                 operand.get());
  setNodeName(add, b.getStringAttr(sum.getSymName() + "/Add"));
  setColocation(add, sum.getSymNameAttr());
}

/// In the graph that updates.
void UpdateCut::takeFrom(Operation *clone, unsigned operand, VariableOp sum) {
  auto apply = clone->getParentOfType<GraphOp>();
  UniqueNames names(apply);
  DerivedOps derived(names);
  derived.enterVariable(sum.getSymName(), sum);
  OpBuilder b(apply.getContext(), &derived);
  b.setInsertionPoint(clone);
  Arithmetic a{b, clone->getLoc()};
  auto name = FlatSymbolRefAttr::get(sum.getSymNameAttr());
  RankedTensorType type = sum.getTensorType();
  Value value = ReadOp::create(b, a.loc, type, name, /*average=*/UnitAttr());
  if (isa<FloatType>(type.getElementType()))
    value = a.mul(value, 1.0 / static_cast<double>(quorum));
  clone->setOperand(operand, value);
  b.setInsertionPointAfter(clone);
  AssignOp::create(b, a.loc, name, splat(b, a.loc, type, 0));
}

/// Erases what updates do not need.
void UpdateCut::eraseOthers(GraphOp apply) {
  ReturnOp end = apply.getReturn();
  end->setOperands({});
  Builder b(apply.getContext());
  apply.setFetchNamesAttr(b.getArrayAttr({}));
  apply.setFetchTypesAttr(b.getArrayAttr({}));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(apply.getBlock())))
    if (!isUpdate(&op) && &op != end && op.use_empty())
      op.erase();
  apply.setFeedNamesAttr(b.getArrayAttr({}));
  apply.getBlock().eraseArguments([](BlockArgument) { return true; });
}

FailureOr<GraphOp> UpdateCut::run() {
  IRMapping mapping;
  auto apply = cast<GraphOp>(graph->clone(mapping));
  apply.setSymName((graph.getSymName() + "@apply").str());
  symbols.insert(apply, std::next(Block::iterator(graph)));
  SmallVector<Operation *> updates;
  for (Operation &op : graph.getBlock())
    if (isUpdate(&op))
      updates.push_back(&op);
  for (Operation *op : updates) {
    auto variable =
        symbols.lookup<VariableOp>(variablesOf(op).front().getAttr());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!analysis.isGathered(operand))
        continue;
      if (failed(check(op, operand)))
        return failure();
      VariableOp sum = declare(variable, op, tensorType(operand.get()));
      addTo(op, operand, sum);
      takeFrom(mapping.lookup(op), operand.getOperandNumber(), sum);
    }
  }
  for (Operation *op : updates)
    op->erase();
  eraseOthers(apply);
  return apply;
}

} // namespace

FailureOr<GraphOp> divideUpdates(GraphOp graph, int64_t quorum,
                                 SymbolTable &symbols) {
  return UpdateCut(graph, quorum, symbols).run();
}

} // namespace graphc
