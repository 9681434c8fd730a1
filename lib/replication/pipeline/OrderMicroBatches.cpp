// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives the ops between the micro-batches of a pipeline their turns:
//
//   %sum = tfir.add %g0, %g1  ->  %sum = tfir.add %g0, %g1 {tfir.slot = 3}
//
// Relies on tfir-replicate, which has given the ops of micro-batches theirs,
// and on tfir-place. Guarantees: an op never follows from one of a later turn
// of its device.
#include "graphc/Passes.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/replication/pipeline/MicroBatchTurns.h"
#include "lib/replication/pipeline/PipelineReport.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_ORDERMICROBATCHESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// The turn of an op that has none: of the last of its operands, where these
/// are all on its device. What comes from another one is not waited for before
/// the end, or the device would do nothing until it is there. Nothing for what
/// follows from no micro-batch.
std::optional<int64_t> turnBetween(Operation *op, int64_t last) {
  std::optional<int64_t> turn;
  for (Value operand : op->getOperands()) {
    Operation *maker = operand.getDefiningOp();
    std::optional<int64_t> own = maker ? getSlot(maker) : std::nullopt;
    if (!own)
      continue;
    if (getAssignedDevice(maker) != getAssignedDevice(op))
      return last;
    turn = std::max(turn.value_or(0), *own);
  }
  return turn;
}

struct OrderMicroBatchesPass
    : impl::OrderMicroBatchesPassBase<OrderMicroBatchesPass> {
  using Base::Base;
  OrderMicroBatchesPass(const OrderMicroBatchesPassOptions &options,
                        TakePipeline take)
      : Base(options), take(std::move(take)) {}

  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (getPipeline(graph) && failed(order(graph)))
        return signalPassFailure();
  }

private:
  LogicalResult order(GraphOp graph);

  TakePipeline take;
};

LogicalResult OrderMicroBatchesPass::order(GraphOp graph) {
  MicroBatchTurns turns(graph);
  for (Operation &op : graph.getBlock().without_terminator())
    if (!getSlot(&op) && !op.hasTrait<Rematerializable>())
      setSlot(&op, turnBetween(&op, turns.last()));
  if (!take)
    return success();
  runtime::StatusOr<CostTable> table = readCostTable(costs);
  if (!table.isOk())
    return getOperation().emitError() << table.status().message();
  DeviceSet devices = readDeviceTable(getOperation());
  take(describePipeline(graph, devices, *table));
  return success();
}

} // namespace

std::unique_ptr<Pass>
createOrderMicroBatchesPass(const OrderMicroBatchesPassOptions &options,
                            TakePipeline take) {
  return std::make_unique<OrderMicroBatchesPass>(options, std::move(take));
}

} // namespace graphc
