// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every worker its own copy of each graph that computes something:
//
//   tfir.graph @train  ->  tfir.graph @"train@0" attributes {instance = {...}}
//                          tfir.graph @"train@1" ...
//
// Relies on flat graphs without tfir.minimize. Guarantees: in the copy of a
// worker everything requests its device, but for variables, their updates, and
// what only these need.
#include "graphc/Passes.h"

#include "lib/frontend/FlatGraph.h"
#include "lib/frontend/VariableRequest.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/replication/Accumulators.h"
#include "lib/replication/Mirrors.h"
#include "lib/replication/TowerDevices.h"
#include "lib/replication/TowerRequests.h"
#include "lib/replication/Towers.h"
#include "lib/replication/state/ForwardScratch.h"
#include "lib/replication/sums/SumRows.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_MAKEINSTANCESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

struct MakeInstancesPass : impl::MakeInstancesPassBase<MakeInstancesPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult readOptions();
  LogicalResult findWorkers();
  void placeVariables();
  LogicalResult divide(GraphOp graph);
  LogicalResult copyFor(GraphOp graph, int64_t worker, InstanceAttr instance);
  LogicalResult place(GraphOp copy, int64_t worker);
  InstanceAttr instanceFor(GraphOp graph, int64_t worker, Coordination how,
                           StringRef apply);

  TowerLayout layout; ///< one device per worker
};

LogicalResult MakeInstancesPass::readOptions() {
  if (coordination == Coordination::None)
    return getOperation().emitError()
           << "coordination is 'none', expected async or quorum";
  if (coordination == Coordination::Quorum && quorum < 1)
    return getOperation().emitError()
           << "--sync is " << quorum.getValue() << ", expected at least 1";
  if (staleness < -1 || (staleness >= 0 && coordination != Coordination::Async))
    return getOperation().emitError()
           << "--staleness is " << staleness.getValue()
           << ", expected at least 0, together with --async";
  return success();
}

LogicalResult MakeInstancesPass::findWorkers() {
  DeviceSet set = readDeviceTable(getOperation());
  SmallVector<size_t> places = towerDevices(set);
  int64_t most = places.size();
  if (replicas > most)
    return getOperation().emitError()
           << "--replicas=" << replicas.getValue() << " asks for more workers "
           << "than the " << most
           << " devices that they could have; add workers to the cluster, or "
              "leave --replicas out";
  if (replicas)
    places.truncate(replicas);
  most = places.size();
  if (coordination == Coordination::Quorum && quorum > most)
    return getOperation().emitError()
           << "--sync=" << quorum.getValue() << " waits for the gradients of "
           << quorum.getValue() << " workers, but there are " << most
           << "; give a number up to " << most << ", or all";
  auto attributeFor = [&](std::optional<size_t> device) {
    return device ? attributeOf(&getContext(), set[*device]) : DeviceAttr();
  };
  for (size_t index : places)
    layout.devices.push_back(
        {attributeFor(index), attributeFor(set.hostOf(index))});
  layout.variables = DeviceAttr::get(&getContext(), variableRequest());
  return success();
}

void MakeInstancesPass::placeVariables() {
  for (auto variable : getOperation().getOps<VariableOp>())
    requestFor(variable, layout);
}

InstanceAttr MakeInstancesPass::instanceFor(GraphOp graph, int64_t worker,
                                            Coordination how, StringRef apply) {
  bool isQuorum = how == Coordination::Quorum;
  return InstanceAttr::get(
      &getContext(), graph.getSymNameAttr(), worker, layout.devices.size(),
      *symbolizeUpdateCoordination(choiceName(how)),
      how == Coordination::Async ? staleness.getValue() : -1,
      isQuorum ? quorum.getValue() : 0,
      isQuorum ? StringAttr::get(&getContext(), apply) : StringAttr());
}

/// Puts what computes something on the worker's device, and what updates need
/// beside the variables.
LogicalResult MakeInstancesPass::place(GraphOp copy, int64_t worker) {
  WorkerAnalysis analysis(copy);
  TowerRequests requests(layout);
  auto workers = static_cast<int64_t>(layout.devices.size());
  placeShared(copy, analysis);
  for (Operation &op : copy.getBlock().without_terminator()) {
    if (auto random = dyn_cast<PhiloxUniformOp>(op))
      if (failed(checkRandom(random, workers)))
        return failure();
    if (auto state = dyn_cast<StepStateOp>(op))
      state.setReplica(worker);
    if (!analysis.isWorkers(&op))
      continue;
    if (DeviceAttr request = requests.requestFor(&op, worker))
      setRequestedDevice(&op, request);
  }
  return success();
}

LogicalResult MakeInstancesPass::copyFor(GraphOp graph, int64_t worker,
                                         InstanceAttr instance) {
  std::string name = (graph.getSymName() + "@" + Twine(worker)).str();
  SymbolTable symbols(getOperation());
  if (Operation *other = symbols.lookup(name))
    return other->emitOpError()
           << "has the name of the copy of '" << graph.getSymName()
           << "' for worker " << worker << "; rename it";
  auto copy = cast<GraphOp>(graph->clone());
  copy.setSymName(name);
  copy.setInstanceAttr(instance);
  symbols.insert(copy, Block::iterator(graph));
  return place(copy, worker);
}

/// Asynchronous updates have the gradient of one worker each, which changes it
/// itself before it sends it. There are no steps that all workers take part in.
static LogicalResult leaveToWorkers(GraphOp graph, const SymbolTable &symbols) {
  llvm::DenseSet<Value> changed;
  for (Operation &op : graph.getBlock()) {
    auto read = dyn_cast<ReadOp>(op);
    bool isMean = read && isScratchRead(read, symbols);
    bool follows = isPure(&op) && llvm::any_of(op.getOperands(), [&](Value x) {
                     return changed.contains(x);
                   });
    if (!isMean && !follows)
      continue;
    removePlacement(&op); // which is that of the variable
    changed.insert(op.result_begin(), op.result_end());
  }
  forwardScratch(graph, symbols);
  for (auto apply : graph.getBlock().getOps<ApplyOp>()) {
    if (apply.getWhen())
      return apply.emitOpError()
             << "updates '" << apply.getVariable()
             << "' in some steps only, for accumulate or loss_scale_growth of "
                "tfir.minimize, but with --async the steps of workers are not "
                "of one sequence; use --sync, or leave them out";
    apply.setCombined(false);
  }
  return success();
}

LogicalResult MakeInstancesPass::divide(GraphOp graph) {
  if (coordination == Coordination::Async &&
      failed(leaveToWorkers(graph, SymbolTable(getOperation()))))
    return failure();
  WorkerAnalysis analysis(graph);
  if (!analysis.computes()) {
    placeShared(graph, analysis);
    return success();
  }
  Coordination how =
      analysis.updates() ? coordination.getValue() : Coordination::None;
  std::string apply;
  if (how == Coordination::Quorum) {
    SymbolTable symbols(getOperation());
    auto differs = [&](OpOperand &operand) {
      return analysis.isGathered(operand);
    };
    if (failed(sumDifferingRows(
            graph, symbols, {differs, "workers", "compile with --sync=all"})))
      return failure();
    FailureOr<GraphOp> made = divideUpdates(graph, quorum, symbols);
    if (failed(made))
      return failure();
    placeShared(*made, WorkerAnalysis(*made));
    apply = made->getSymName();
  }
  for (size_t worker = 0; worker < layout.devices.size(); ++worker)
    if (failed(copyFor(graph, worker, instanceFor(graph, worker, how, apply))))
      return failure();
  graph.erase();
  return success();
}

void MakeInstancesPass::runOnOperation() {
  if (failed(readOptions()) || failed(findWorkers()))
    return signalPassFailure();
  placeVariables();
  SmallVector<GraphOp> graphs(getOperation().getOps<GraphOp>());
  for (GraphOp graph : graphs)
    if (failed(requireFlat(graph)) || failed(divide(graph)))
      return signalPassFailure();
}

} // namespace
} // namespace graphc
