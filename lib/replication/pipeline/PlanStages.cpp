// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides the graphs with `tfir.pipeline` into stages:
//
//   %y = tfir.matmul %h, %w2 ...
//     -> %y = tfir.matmul %h, %w2 {device = ...CPU:1, tfir.slot = 1} ...
//
// Relies on static shapes and on tfir-decompose; runs before gradients are
// written out, which follow the ops that they are of. Guarantees: what depends
// on the examples has a device and its place on the way of a micro-batch.
#include "graphc/Passes.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "lib/frontend/FlatGraph.h"
#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/replication/pipeline/StagePlan.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PLANSTAGESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

struct PlanStagesPass : impl::PlanStagesPassBase<PlanStagesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<GraphOp> pipelines, others;
    for (auto graph : getOperation().getOps<GraphOp>())
      (getPipeline(graph) ? pipelines : others).push_back(graph);
    if (!pipelines.empty() && failed(plan(pipelines, others)))
      signalPassFailure();
  }

private:
  LogicalResult plan(ArrayRef<GraphOp> pipelines, ArrayRef<GraphOp> others);
};

LogicalResult PlanStagesPass::plan(ArrayRef<GraphOp> pipelines,
                                   ArrayRef<GraphOp> others) {
  runtime::StatusOr<CostTable> table = readCostTable(costs);
  if (!table.isOk())
    return getOperation().emitError() << table.status().message();
  DeviceSet set = readDeviceTable(getOperation());
  StageDevices devices(set, &getContext());
  VariableStages variables;
  for (GraphOp graph : pipelines) {
    int64_t stages = getPipeline(graph)->stages;
    if (stages > static_cast<int64_t>(devices.candidates().size()))
      return graph.emitError()
             << "the graph '" << graph.getSymName() << "' has " << stages
             << " stages, but devices for " << devices.candidates().size()
             << "; name more with --devices";
    if (failed(requireFlat(graph)) ||
        failed(StagePlan(graph, devices, *table, variables).run()))
      return failure();
  }
  for (GraphOp graph : others)
    followVariables(graph, devices, variables);
  return success();
}

} // namespace
} // namespace graphc
