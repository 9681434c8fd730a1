// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps what summaries need out of the kernels of all else, so that these are
// those of the graph without summaries:
//
//   %g = tfir.matmul %a, %b             %g = tfir.matmul %a, %b
//   %n = tfir.sub %w, %g          ->    %n = tfir.sub %w, %g
//   tfir.assign @w, %n                  tfir.assign @w, %n
//   tfir.return %g                      %h = tfir.matmul %a, %b {for_summary}
//                                       tfir.return %h
//
// Were %g an output of the kernel that assigns %w, its multiply-adds would be
// others: a product that is read twice is rounded.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/lowering/KernelGroups.h"
#include "lib/lowering/Views.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_ISOLATESUMMARIESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// True for a fetch of the partition, by its place there, that is for
/// summaries.
bool isShown(GraphOp partition, size_t fetch) {
  std::optional<ArrayRef<int64_t>> order = partition.getFetchOrder();
  int64_t number = order ? (*order)[fetch] : static_cast<int64_t>(fetch);
  return number >= cast<SummaryAttr>((*partition.getSummaries())[0]).getFetch();
}

/// The partitions of one variant.
class Isolator {
public:
  explicit Isolator(ArrayRef<GraphOp> partitions) : partitions(partitions) {}

  void run() {
    findNeeded();
    for (GraphOp partition : partitions)
      isolate(partition);
  }

private:
  void findNeeded();
  void need(Operation *op);
  void isolate(GraphOp partition);
  bool isInMemory(Value value) const;
  Value copyOf(Value value, Operation *user);

  ArrayRef<GraphOp> partitions;
  llvm::DenseSet<Operation *> needed;    ///< by more than summaries
  llvm::DenseMap<int64_t, SendOp> sends; ///< by edge
  SmallVector<Operation *> work;
  llvm::DenseMap<Value, Value> copies;
};

void Isolator::need(Operation *op) {
  if (op && needed.insert(op).second)
    work.push_back(op);
}

void Isolator::findNeeded() {
  for (GraphOp partition : partitions) {
    for (auto [i, value] : llvm::enumerate(partition.getReturn().getValues()))
      if (!isShown(partition, i))
        need(value.getDefiningOp());
    for (Operation &op : partition.getBlock().without_terminator())
      if (auto send = dyn_cast<SendOp>(op))
        sends[static_cast<int64_t>(send.getEdge())] = send;
      else if (!isMemoryEffectFree(&op) && !isa<RecvOp>(op))
        need(&op);
  }
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value operand : op->getOperands())
      need(operand.getDefiningOp());
    if (auto recv = dyn_cast<RecvOp>(op))
      need(sends.lookup(static_cast<int64_t>(recv.getEdge())));
  }
}

/// True when the value is a whole in memory, whoever else reads it.
bool Isolator::isInMemory(Value value) const {
  Operation *maker = value.getDefiningOp();
  if (!maker || (!isKernelOp(maker) && !isView(maker)))
    return true;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto end = dyn_cast<ReturnOp>(user)) {
      auto graph = cast<GraphOp>(end->getParentOp());
      return llvm::any_of(llvm::enumerate(end.getValues()), [&](auto fetch) {
        return fetch.value() == value && !isShown(graph, fetch.index());
      });
    }
    return needed.contains(user) && (isa<ContractionInterface>(user) ||
                                     (!isKernelOp(user) && !isView(user)));
  });
}

/// Gives the value that an op for summaries reads in place of one that others
/// need.
Value Isolator::copyOf(Value value, Operation *user) {
  Operation *maker = value.getDefiningOp();
  if (!maker || !needed.contains(maker) || isInMemory(value))
    return value;
  if (Value known = copies.lookup(value))
    return known;
  IRMapping mapping;
  for (Value operand : maker->getOperands())
    mapping.map(operand, copyOf(operand, user));
  OpBuilder b(user);
  Operation *copy = b.clone(*maker, mapping);
  setForSummary(copy);
  // A library makes the sum that is assigned, not this one.
  auto *dialect = copy->getContext()->getLoadedDialect<TfirDialect>();
  for (NodeAttr left : {NodeAttr::Fallback, NodeAttr::Collective})
    copy->removeDiscardableAttr(dialect->getNodeAttrName(left));
  for (auto [original, made] :
       llvm::zip(maker->getResults(), copy->getResults()))
    copies[original] = made;
  return copies.lookup(value);
}

void Isolator::isolate(GraphOp partition) {
  copies.clear();
  ReturnOp end = partition.getReturn();
  for (Operation &op :
       llvm::make_early_inc_range(partition.getBlock().without_terminator())) {
    if (needed.contains(&op) || isForSummary(&op))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      operand.set(copyOf(operand.get(), &op));
    if (isKernelOp(&op) || isView(&op))
      setForSummary(&op);
  }
  for (auto [i, operand] : llvm::enumerate(end->getOpOperands()))
    if (isShown(partition, i))
      operand.set(copyOf(operand.get(), end));
}

struct IsolateSummariesPass
    : impl::IsolateSummariesPassBase<IsolateSummariesPass> {
  void runOnOperation() override {
    llvm::MapVector<StringAttr, SmallVector<GraphOp>> variants;
    for (auto graph : getOperation().getOps<GraphOp>())
      if (auto shown = graph.getSummaries(); shown && !shown->empty())
        variants[graph.getWholeNameAttr()].push_back(graph);
    for (auto &[name, partitions] : variants)
      Isolator(partitions).run();
  }
};

} // namespace
} // namespace graphc
