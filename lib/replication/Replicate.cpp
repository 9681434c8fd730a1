// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes towers of the graphs with `replicas`:
//
//   %x = tfir.next @train; ...; tfir.apply @w, %g
//     -> %x_0 = tfir.next @train {shard = 0, shards = 2}; ...
//        %x_1 = tfir.next @train {shard = 1, shards = 2}; ...
//        %sum = tfir.add %g_0, %g_1; ...; tfir.apply @w, %mean
//
// Relies on tfir-bind-shapes, which has divided the rows, and on
// tfir-differentiate. Guarantees: every op of a tower requests a device of its
// tower and has its number.
#include "graphc/Passes.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "lib/frontend/FlatGraph.h"
#include "lib/frontend/VariableRequest.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/replication/TowerDevices.h"
#include "lib/replication/Towers.h"
#include "lib/replication/sums/SumRows.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_REPLICATEPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

std::string quoted(DeviceAttr device) {
  return ("\"" + device.getText() + "\"").str();
}

struct ReplicatePass : impl::ReplicatePassBase<ReplicatePass> {
  using Base::Base;
  ReplicatePass(const ReplicatePassOptions &options, TakeShards take)
      : Base(options), take(std::move(take)) {}

  void runOnOperation() override;

private:
  LogicalResult readOptions(TowerLayout &layout);
  LogicalResult findDevices(TowerLayout &layout, int64_t towers);
  LogicalResult placeVariables(TowerLayout &layout, const DeviceSet &set);
  DeviceAttr attributeFor(const DeviceSet &set, std::optional<size_t> device);
  LogicalResult checkLibrary(const TowerLayout &layout);
  LogicalResult checkTasks(const TowerLayout &layout);
  LogicalResult sumRows(GraphOp graph, const TowerLayout &layout,
                        const Mirrors &mirrors);
  LogicalResult replicate(const TowerLayout &layout);

  TakeShards take;
};

LogicalResult ReplicatePass::readOptions(TowerLayout &layout) {
  layout.reduce = reduce;
  layout.sharded = shards;
  bool needsMirrors =
      shards || (reduce != Reduce::Auto && reduce != Reduce::Ps);
  layout.mirrored = variables.isMirrored || needsMirrors;
  if (shards && reduce != Reduce::Auto && reduce != Reduce::Ring &&
      reduce != Reduce::Hierarchical)
    return getOperation().emitError()
           << "--shard-updates leaves each device its rows of a gradient's "
              "sum, "
              "which rings do, but --reduce="
           << choiceName(reduce.getValue())
           << " makes whole sums; use --reduce=ring, or leave it out";
  if (needsMirrors && variables.device)
    return getOperation().emitError()
           << (shards ? "--shard-updates"
                      : "--reduce=" + choiceName(reduce.getValue()).str())
           << " needs the variables on every device with a tower, but "
              "--variable-device="
           << toText(variables)
           << " puts them on one; leave --variable-device out, or use "
              "--reduce=ps";
  if (reduce == Reduce::Nccl && canonical)
    return getOperation().emitError()
           << "--numerics=canonical adds up in an order that follows from the "
              "number of towers, but with --reduce=nccl a library does in its "
              "own; use --reduce=ring";
  layout.canonical = canonical;
  layout.perTower = feeds == FeedMode::PerTower;
  return success();
}

DeviceAttr ReplicatePass::attributeFor(const DeviceSet &set,
                                       std::optional<size_t> device) {
  return device ? attributeOf(&getContext(), set[*device]) : DeviceAttr();
}

/// Sets the request of variables that are not mirrored: by default any CPU, of
/// which placement chooses one.
LogicalResult ReplicatePass::placeVariables(TowerLayout &layout,
                                            const DeviceSet &set) {
  if (!variables.device) {
    if (set.clientHost())
      layout.variables = DeviceAttr::get(&getContext(), variableRequest());
    return success();
  }
  if (set.matching(*variables.device).empty()) {
    InFlightDiagnostic error = getOperation().emitError()
                               << "--variable-device=" << toText(variables)
                               << " is none of the devices; there are ";
    llvm::interleaveComma(set.devices(), error,
                          [&](const TargetDevice &device) {
                            error << "'" << device.fullName << "'";
                          });
    return error;
  }
  layout.variables = DeviceAttr::get(&getContext(), *variables.device);
  return success();
}

LogicalResult ReplicatePass::findDevices(TowerLayout &layout, int64_t towers) {
  DeviceSet set = readDeviceTable(getOperation());
  layout.clientHost = attributeFor(set, set.clientHost());
  if (layout.isPipeline) // stages have requested what they need
    return success();
  SmallVector<size_t> places = towerDevices(set);
  if (static_cast<int64_t>(places.size()) > towers)
    places.truncate(towers);
  for (size_t index : places)
    layout.devices.push_back(
        {attributeFor(set, index), attributeFor(set, set.hostOf(index))});
  return placeVariables(layout, set);
}

/// There is something within the tasks to be done first.
LogicalResult ReplicatePass::checkTasks(const TowerLayout &layout) {
  if (layout.devicesPerTask())
    return success();
  return getOperation().emitError()
         << "--reduce=hierarchical adds up within each task, then among tasks, "
            "for which there must be several tasks with the same number of "
            "devices with towers, two or more; use --reduce=ring";
}

/// A library adds up values of GPUs of one process.
LogicalResult ReplicatePass::checkLibrary(const TowerLayout &layout) {
  const TowerLayout::TowerDevice &first = layout.devices.front();
  for (const TowerLayout::TowerDevice &device : layout.devices) {
    if (device.name.getDeviceName().type != "GPU")
      return getOperation().emitError()
             << "--reduce=nccl adds up values of GPUs, but there is a tower on "
             << quoted(device.name) << "; use --reduce=ring";
    if (!device.name.getDeviceName().isInSameTaskAs(first.name.getDeviceName()))
      return getOperation().emitError()
             << "--reduce=nccl adds up values of the GPUs of one task, but "
                "there are towers on "
             << quoted(first.name) << " and " << quoted(device.name)
             << "; use --reduce=ring";
  }
  if (layout.devices.size() == 1)
    getOperation().emitWarning()
        << "--reduce=nccl has nothing to do: all towers are on "
        << quoted(first.name) << "; name several GPUs";
  return success();
}

/// Rows that are added to a variable, where they differ between towers.
LogicalResult ReplicatePass::sumRows(GraphOp graph, const TowerLayout &layout,
                                     const Mirrors &mirrors) {
  TowerAnalysis analysis(graph, mirrors, layout.isPipeline);
  auto differs = [&](OpOperand &operand) {
    return analysis.varies(operand.get());
  };
  return sumDifferingRows(
      graph, SymbolTable(getOperation()),
      {differs, "the " + std::to_string(graph.getTowers()) + " towers",
       "compile with --replicate=none"});
}

LogicalResult ReplicatePass::replicate(const TowerLayout &layout) {
  if (layout.sharded && layout.devices.size() == 1)
    getOperation().emitWarning()
        << "--shard-updates has nothing to do: all towers are on "
        << quoted(layout.devices.front().name) << "; name several devices";
  UpdateShards divided(getOperation(), layout);
  FailureOr<Mirrors> mirrors = Mirrors::make(getOperation(), layout, divided);
  if (failed(mirrors) ||
      failed(divided.declare(getOperation(), layout, *mirrors)))
    return failure();
  if (take)
    take(divided.describe());
  for (auto graph : getOperation().getOps<GraphOp>()) {
    if (failed(requireFlat(graph)))
      return failure();
    if (graph.getTowers() < 2)
      mirrors->follow(graph);
    else if (failed(sumRows(graph, layout, *mirrors)) ||
             failed(Towers(graph, layout, *mirrors, divided).run()))
      return failure();
  }
  return success();
}

void ReplicatePass::runOnOperation() {
  TowerLayout layout;
  if (failed(readOptions(layout)))
    return signalPassFailure();
  int64_t towers = 1;
  for (auto graph : getOperation().getOps<GraphOp>()) {
    towers = std::max(towers, graph.getTowers());
    layout.isPipeline |= getPipeline(graph).has_value();
  }
  if (towers == 1)
    return;
  if (failed(findDevices(layout, towers)) ||
      (layout.reduce == Reduce::Nccl && failed(checkLibrary(layout))) ||
      (layout.reduce == Reduce::Hierarchical && failed(checkTasks(layout))) ||
      failed(replicate(layout)))
    signalPassFailure();
}

} // namespace

std::unique_ptr<Pass> createReplicatePass(const ReplicatePassOptions &options,
                                          TakeShards take) {
  return std::make_unique<ReplicatePass>(options, std::move(take));
}

} // namespace graphc
