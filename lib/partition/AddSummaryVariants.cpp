// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides each graph with summaries into itself without them, which is as if
// they had not been written, and a variant with them:
//
//   tfir.graph @train(...) -> (y, "summary/loss") {summaries = [...]}
//     -> tfir.graph @train(...) -> (y)
//        tfir.graph @"train#summary"(...) -> (y, "summary/loss")
//            {summaries = [...]}
//
// Guarantees: what both compute stands in both in the same order, in the
// variant before what only summaries need; a graph that is no variant has no
// attribute `summaries`.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_ADDSUMMARYVARIANTSPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// The first fetch that is there for summaries.
size_t firstShown(GraphOp graph) {
  return static_cast<size_t>(
      cast<SummaryAttr>((*graph.getSummaries())[0]).getFetch());
}

/// Its ops but for the end, as they stand now.
SmallVector<Operation *> opsOf(GraphOp graph) {
  return llvm::map_to_vector(graph.getBlock().without_terminator(),
                             [](Operation &op) { return &op; });
}

/// Drops the summaries, and what nobody needs then.
void dropSummaries(GraphOp graph) {
  size_t kept = firstShown(graph);
  ReturnOp end = graph.getReturn();
  end.getValuesMutable().erase(static_cast<unsigned>(kept),
                               end.getValues().size() -
                                   static_cast<unsigned>(kept));
  Builder b(graph.getContext());
  auto first = [&](ArrayAttr list) {
    return b.getArrayAttr(list.getValue().take_front(kept));
  };
  graph.setFetchNamesAttr(first(graph.getFetchNamesAttr()));
  graph.setFetchTypesAttr(first(graph.getFetchTypesAttr()));
  if (auto split = graph.getSplitFetches())
    graph.setSplitFetches(split->take_front(kept));
  graph.removeSummariesAttr();
  SmallVector<Operation *> ops = opsOf(graph);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// Moves what only summaries need behind all else.
void sinkSummaries(GraphOp graph) {
  size_t kept = firstShown(graph);
  ReturnOp end = graph.getReturn();
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> work;
  for (Value value : end.getValues().take_front(kept))
    if (Operation *maker = value.getDefiningOp())
      work.push_back(maker);
  for (Operation &op : graph.getBlock().without_terminator())
    if (!isMemoryEffectFree(&op))
      work.push_back(&op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!needed.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        work.push_back(maker);
  }
  for (Operation *op : opsOf(graph))
    if (!needed.contains(op) && op->getNumOperands() > 0)
      op->moveBefore(end);
}

struct AddSummaryVariantsPass
    : impl::AddSummaryVariantsPassBase<AddSummaryVariantsPass> {
  void runOnOperation() override {
    for (GraphOp graph : llvm::to_vector(getOperation().getOps<GraphOp>())) {
      if (!graph.getSummaries() || graph.getSummaries()->empty())
        continue;
      if (graph.isCoordinated())
        graph.emitWarning()
            << "the graph '" << graph.getSymName()
            << "' has summaries, which are left out: its steps interleave "
               "with those of other workers; compile for synchronous updates, "
               "or fetch the values";
      else
        addVariant(graph);
      dropSummaries(graph);
    }
  }

private:
  void addVariant(GraphOp graph) {
    OpBuilder b(graph);
    b.setInsertionPointAfter(graph);
    auto variant = cast<GraphOp>(b.clone(*graph));
    variant.setSymName((graph.getSymName() + exec::kSummaryMark).str());
    sinkSummaries(variant);
  }
};

} // namespace
} // namespace graphc
