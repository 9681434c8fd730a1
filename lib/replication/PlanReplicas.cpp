// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how many towers each graph gets, before shapes are bound, since the
// towers share the rows:
//
//   tfir.graph @train(%x: tensor<?xf32>)  ->  ... attributes {replicas = 4}
//
// With --pipeline these are micro-batches, which take turns on all devices.
// Guarantees: a graph with `replicas` has something to divide, and more than
// one tower; only a pipeline has `tfir.pipeline`.
#include "graphc/Passes.h"

#include "dialects/tfir/PipelineAttrs.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/replication/TowerDevices.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

#define GEN_PASS_DEF_PLANREPLICASPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// Replication traits of a graph.
struct Traits {
  bool minimizes = false;
  bool hasInput = false;       ///< feeds or batches
  bool hasRows = false;        ///< of examples, to be divided
  bool isRandom = false;       ///< with numbers that differ between towers
  Operation *pinned = nullptr; ///< placed by hand on one device

  /// Towers would not all do the same.
  bool divides() const { return hasRows || isRandom; }
};

bool hasOpenRows(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() > 0 && tensor.isDynamicDim(0);
}

/// True when the op names one device of the kind of those at `places`, or some
/// of the tasks that have these.
bool isPinned(Operation *op, const DeviceSet &set, ArrayRef<size_t> places) {
  auto request = getRequestedDevice(op);
  if (!request)
    return false;
  const DeviceName &name = request.getDeviceName();
  StringRef kind = set[places.front()].type;
  if (name.type && *name.type != kind)
    return false;
  if (name.id)
    return name.type.has_value();
  SmallVector<size_t> meant = set.matching(name);
  size_t count = llvm::count_if(
      places, [&](size_t place) { return llvm::is_contained(meant, place); });
  return name.task && count > 0 && count < places.size();
}

Traits traitsOf(GraphOp graph, const DeviceSet &set, ArrayRef<size_t> places) {
  Traits traits;
  TypeRange feeds = graph.getBlock().getArgumentTypes();
  traits.hasInput = !feeds.empty();
  traits.hasRows = llvm::any_of(feeds, hasOpenRows);
  graph.getBody().walk([&](Operation *op) {
    traits.minimizes |= isa<MinimizeOp>(op);
    traits.isRandom |= isa<RandomSource, StepStateOp>(op);
    if (isa<NextOp>(op)) {
      traits.hasInput = true;
      traits.hasRows |= llvm::any_of(op->getResultTypes(), hasOpenRows);
    }
    if (!traits.pinned && isPinned(op, set, places))
      traits.pinned = op;
  });
  return traits;
}

struct PlanReplicasPass : impl::PlanReplicasPassBase<PlanReplicasPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult checkOptions();
  int64_t towersFor(GraphOp graph, const DeviceSet &set);
  int64_t towersByDefault(GraphOp graph, const Traits &traits);
  LogicalResult checkPipeline(const DeviceSet &set);
  LogicalResult planPipelines(const DeviceSet &set);
  void warnOfUnused(const DeviceSet &set);

  SmallVector<size_t> places; ///< devices of towers
};

LogicalResult PlanReplicasPass::checkOptions() {
  if (replicas < 0 || replicas > kMaxReplicas)
    return getOperation().emitError()
           << "--replicas is " << replicas.getValue() << ", expected 1 to "
           << kMaxReplicas << ", or 0 for one per device";
  return success();
}

/// Returns the tower count with --replicate=auto.
int64_t PlanReplicasPass::towersByDefault(GraphOp graph, const Traits &traits) {
  if (!traits.minimizes)
    return 1;
  int64_t towers = replicas ? replicas : int64_t(places.size());
  // Other masks of dropout for the same examples are not worth a device.
  if (towers > 1 && !traits.hasRows && (traits.hasInput || !traits.isRandom)) {
    graph.emitWarning() << "the graph '" << graph.getSymName()
                        << "' has nothing that towers could share: it runs "
                           "once. Write '?' for the number of examples in its "
                           "feeds and batches";
    return 1;
  }
  if (towers > 1 && traits.pinned && !replicas) {
    InFlightDiagnostic warning = graph.emitWarning()
                                 << "the graph '" << graph.getSymName()
                                 << "' is placed by hand and not replicated; "
                                    "ask for --replicate=towers if it should "
                                    "be";
    warning.attachNote(traits.pinned->getLoc())
        << "this op asks for \"" << getRequestedDevice(traits.pinned).getText()
        << "\"";
    return 1;
  }
  return towers;
}

int64_t PlanReplicasPass::towersFor(GraphOp graph, const DeviceSet &set) {
  if (replicate == Replicate::None)
    return 1;
  Traits traits = traitsOf(graph, set, places);
  if (graph.getReplicas())
    return traits.divides() ? graph.getTowers() : 1;
  if (replicate == Replicate::Auto)
    return towersByDefault(graph, traits);
  int64_t towers = replicas ? replicas : int64_t(places.size());
  return traits.divides() ? towers : 1;
}

/// Micro-batches for each stage unless the user says otherwise: with four, a
/// fifth of the time of a device is lost, and less with more stages.
constexpr int64_t kMicroBatchesPerStage = 4;

LogicalResult PlanReplicasPass::checkPipeline(const DeviceSet &set) {
  std::string flag = "--pipeline=" + std::to_string(stages);
  auto count = static_cast<int64_t>(places.size());
  if (stages < 2)
    return getOperation().emitError()
           << flag << " is no pipeline, expected at least 2 stages";
  if (stages > count) {
    InFlightDiagnostic error = getOperation().emitError()
                               << flag << " needs " << stages.getValue()
                               << " devices of one kind, but there "
                               << (count == 1 ? "is " : "are ") << count
                               << ": ";
    llvm::interleaveComma(places, error,
                          [&](size_t place) { error << set[place].fullName; });
    error << "; name more with --devices";
    if (count > 1)
      error << ", or give --pipeline=" << count;
    return error;
  }
  if (microBatches < 0 || microBatches == 1 || microBatches > kMaxReplicas)
    return getOperation().emitError()
           << "--micro-batches is " << microBatches.getValue()
           << ", expected 2 to " << kMaxReplicas << ", or 0 for "
           << kMicroBatchesPerStage << " per stage";
  if (replicas || replicate == Replicate::Towers)
    return getOperation().emitError()
           << flag << " divides the graph among the devices, but "
           << (replicas ? "--replicas=" + std::to_string(replicas)
                        : std::string("--replicate=towers"))
           << " makes towers of it; drop one of them";
  return success();
}

/// Makes pipelines of what trains, or where nothing does, of what has rows.
LogicalResult PlanReplicasPass::planPipelines(const DeviceSet &set) {
  if (failed(checkPipeline(set)))
    return failure();
  SmallVector<std::pair<GraphOp, Traits>> training, others;
  for (auto graph : getOperation().getOps<GraphOp>()) {
    Traits traits = traitsOf(graph, set, places);
    (traits.minimizes ? training : others).push_back({graph, traits});
    graph.removeReplicasAttr();
    setPipeline(graph, std::nullopt);
  }
  bool isAny = false;
  for (auto &[graph, traits] : training.empty() ? others : training) {
    if (!traits.hasRows && !training.empty())
      return graph.emitError()
             << "the graph '" << graph.getSymName()
             << "' has no rows that micro-batches could share; write '?' for "
                "the number of examples in its feeds and batches, or leave "
                "--pipeline out";
    if (!traits.hasRows)
      continue;
    isAny = true;
    graph.setReplicas(microBatches ? microBatches
                                   : kMicroBatchesPerStage * stages);
    setPipeline(graph,
                PipelineSpec{stages, schedule == PipelineSchedule::OneFOneB});
  }
  if (!isAny)
    return getOperation().emitError()
           << "--pipeline=" << stages.getValue()
           << " found no graph that has rows for micro-batches; write '?' for "
              "the number of examples in feeds and batches";
  return success();
}

void PlanReplicasPass::warnOfUnused(const DeviceSet &set) {
  if (replicas == 0 || size_t(replicas) >= places.size())
    return;
  SmallVector<StringRef> names;
  for (size_t index : ArrayRef(places).drop_front(replicas))
    names.push_back(set[index].fullName);
  getOperation().emitWarning()
      << "--replicas=" << replicas.getValue() << " leaves " << names.size()
      << " of " << places.size()
      << " devices without a tower: " << llvm::join(names, ", ")
      << "; leave --replicas out, or name fewer devices";
}

void PlanReplicasPass::runOnOperation() {
  if (failed(checkOptions()))
    return signalPassFailure();
  DeviceSet set = readDeviceTable(getOperation());
  places = towerDevices(set);
  if (stages) {
    if (failed(planPipelines(set)))
      signalPassFailure();
    return;
  }
  bool isAnyReplicated = false;
  for (auto graph : getOperation().getOps<GraphOp>()) {
    int64_t towers = towersFor(graph, set);
    graph.removeReplicasAttr();
    if (towers < 2)
      continue;
    graph.setReplicas(towers);
    isAnyReplicated = true;
  }
  if (replicate == Replicate::Towers && !isAnyReplicated)
    getOperation().emitWarning()
        << "--replicate=towers made no towers: there "
        << (places.size() > 1 || replicas > 1
                ? "is no graph with rows or random numbers to divide"
                : "is one device; name several, or give --replicas");
  if (isAnyReplicated)
    warnOfUnused(set);
}

} // namespace
} // namespace graphc
