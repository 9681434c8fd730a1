// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tfir.assign_rows @w, %i, %u {combine = "add"}
//     -> %s = tfir.unsorted_segment_sum %u, %i; tfir.assign_add @w, %s
#include "lib/replication/sums/SumRows.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/gather/TfirScatterOps.h"
#include "lib/autodiff/DerivedOps.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// The sum is no op of the variable's place: a tower computes its own.
void sumRows(AssignRowsOp op, VariableOp variable, DerivedOps &derived) {
  OpBuilder b(op.getContext(), &derived);
  b.setInsertionPoint(op);
  Operation *before = op->getPrevNode();
  derived.enterScope(nameOf(op), /*origin=*/nullptr);
  Value sum = op.buildSum(b, variable.getTensorType());
  for (Operation *made = op->getPrevNode(); made != before;
       made = made->getPrevNode())
    setSlot(made, getSlot(op));
  OpBuilder plain(op);
  Operation *update;
  if (op.getCombine() == "add")
    update = AssignAddOp::create(plain, op.getLoc(), op.getVariableAttr(), sum);
  else
    update = AssignSubOp::create(plain, op.getLoc(), op.getVariableAttr(), sum);
  update->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  // Beside the variable the sum is, too, and rows travel, but no table.
  if (!getColocationAttr(update) && !getRequestedDeviceAttr(update))
    setColocation(update, variable.getSymNameAttr());
  op.erase();
}

} // namespace

LogicalResult sumDifferingRows(GraphOp graph, const SymbolTable &symbols,
                               const RowParties &parties) {
  SmallVector<AssignRowsOp> found;
  for (auto op : graph.getBlock().getOps<AssignRowsOp>())
    if (llvm::any_of(op->getOpOperands(), parties.differs))
      found.push_back(op);
  if (found.empty())
    return success();
  UniqueNames names(graph);
  DerivedOps derived(names);
  for (AssignRowsOp op : found) {
    if (!op.isSum())
      return op.emitOpError()
             << "updates rows of the variable '" << op.getVariable() << "' by '"
             << op.getCombine() << "', and these differ between " << parties.who
             << ", of which none counts more than another; add or subtract "
                "rows by scatter_add or scatter_sub, or "
             << parties.cure;
    sumRows(op, symbols.lookup<VariableOp>(op.getVariable()), derived);
  }
  return success();
}

} // namespace graphc
