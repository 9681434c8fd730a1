// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how many towers each graph gets, before shapes are bound, since the
// towers share the rows:
//
//   tfir.graph @train(%x: tensor<?xf32>)  ->  ... attributes {replicas = 4}
//
// Guarantees: a graph with `replicas` has something to divide, and more than
// one tower.
#include "graphc/Passes.h"

#include "lib/frontend/Replicas.h"
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
  auto request = op->getAttrOfType<DeviceAttr>(kDeviceAttr);
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
        << "this op asks for \""
        << traits.pinned->getAttrOfType<DeviceAttr>(kDeviceAttr).getText()
        << "\"";
    return 1;
  }
  return towers;
}

int64_t PlanReplicasPass::towersFor(GraphOp graph, const DeviceSet &set) {
  if (replicate == Replicate::None)
    return 1;
  Traits traits = traitsOf(graph, set, places);
  if (graph->hasAttr(kReplicasAttr))
    return traits.divides() ? replicasOf(graph) : 1;
  if (replicate == Replicate::Auto)
    return towersByDefault(graph, traits);
  int64_t towers = replicas ? replicas : int64_t(places.size());
  return traits.divides() ? towers : 1;
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
  Builder builder(&getContext());
  bool isAnyReplicated = false;
  for (auto graph : getOperation().getOps<GraphOp>()) {
    int64_t towers = towersFor(graph, set);
    graph->removeAttr(kReplicasAttr);
    if (towers < 2)
      continue;
    graph->setAttr(kReplicasAttr, builder.getI64IntegerAttr(towers));
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
