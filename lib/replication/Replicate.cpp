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

#include "dialects/tfir/Names.h"
#include "lib/frontend/FlatGraph.h"
#include "lib/frontend/Replicas.h"
#include "lib/replication/TowerDevices.h"
#include "lib/replication/Towers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

#define GEN_PASS_DEF_REPLICATEPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

constexpr StringLiteral kMirrored = "mirrored";

struct ReplicatePass : impl::ReplicatePassBase<ReplicatePass> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult readOptions(TowerLayout &layout);
  LogicalResult findDevices(TowerLayout &layout, int64_t towers);
  LogicalResult placeVariables(TowerLayout &layout, const DeviceSet &set);
  StringAttr nameOf(const DeviceSet &set, std::optional<size_t> device);
  LogicalResult checkLibrary(const TowerLayout &layout);
  LogicalResult replicate(const TowerLayout &layout);
};

LogicalResult ReplicatePass::readOptions(TowerLayout &layout) {
  auto how = llvm::StringSwitch<std::optional<Reduce>>(reduce)
                 .Case("auto", Reduce::Auto)
                 .Case("ps", Reduce::Ps)
                 .Case("ring", Reduce::Ring)
                 .Case("tree", Reduce::Tree)
                 .Case("nccl", Reduce::Nccl)
                 .Default(std::nullopt);
  if (!how)
    return getOperation().emitError()
           << "--reduce is '" << reduce
           << "', expected ps, ring, tree, nccl or auto";
  if (feeds != "split" && feeds != "per-tower")
    return getOperation().emitError()
           << "--feeds is '" << feeds << "', expected split or per-tower";
  layout.reduce = *how;
  bool needsMirrors = *how != Reduce::Auto && *how != Reduce::Ps;
  layout.mirrored = variableDevice == kMirrored || needsMirrors;
  if (needsMirrors && !variableDevice.empty() && variableDevice != kMirrored)
    return getOperation().emitError()
           << "--reduce=" << reduce
           << " needs the variables on every device with a tower, but "
              "--variable-device="
           << variableDevice
           << " puts them on one; leave --variable-device out, or use "
              "--reduce=ps";
  if (how == Reduce::Nccl && canonical)
    return getOperation().emitError()
           << "--numerics=canonical adds up in an order that follows from the "
              "number of towers, but with --reduce=nccl a library does in its "
              "own; use --reduce=ring";
  layout.canonical = canonical;
  layout.perTower = feeds == "per-tower";
  return success();
}

StringAttr ReplicatePass::nameOf(const DeviceSet &set,
                                 std::optional<size_t> device) {
  return device ? StringAttr::get(&getContext(), set[*device].fullName)
                : StringAttr();
}

/// What variables request that are not mirrored: by default a CPU, which one
/// being for placement to say.
LogicalResult ReplicatePass::placeVariables(TowerLayout &layout,
                                            const DeviceSet &set) {
  if (variableDevice.empty() || variableDevice == kMirrored) {
    if (set.clientHost())
      layout.variables = StringAttr::get(&getContext(), kVariableRequest);
    return success();
  }
  auto name = DeviceName::parseLocal(std::string_view(variableDevice));
  if (!name.isOk())
    return getOperation().emitError()
           << "--variable-device: " << name.status().message();
  if (set.matching(*name).empty()) {
    InFlightDiagnostic error = getOperation().emitError()
                               << "--variable-device=" << variableDevice
                               << " is none of the devices; there are ";
    llvm::interleaveComma(set.devices(), error, [&](const Device &device) {
      error << "'" << device.fullName << "'";
    });
    return error;
  }
  layout.variables = StringAttr::get(&getContext(), name->toString());
  return success();
}

LogicalResult ReplicatePass::findDevices(TowerLayout &layout, int64_t towers) {
  FailureOr<DeviceSet> set = readDevices(
      getOperation(), {std::vector<std::string>(devices.begin(), devices.end()),
                       cpuDevices, cluster, deviceList, workers});
  if (failed(set))
    return failure();
  SmallVector<size_t> places = towerDevices(*set);
  if (static_cast<int64_t>(places.size()) > towers)
    places.truncate(towers);
  for (size_t index : places)
    layout.devices.push_back({nameOf(*set, index), (*set)[index].name,
                              nameOf(*set, set->hostOf(index))});
  layout.clientHost = nameOf(*set, set->clientHost());
  return placeVariables(layout, *set);
}

/// A library adds up values of GPUs of one process.
LogicalResult ReplicatePass::checkLibrary(const TowerLayout &layout) {
  const TowerLayout::TowerDevice &first = layout.devices.front();
  for (const TowerLayout::TowerDevice &device : layout.devices) {
    if (*device.parsed.type != "GPU")
      return getOperation().emitError()
             << "--reduce=nccl adds up values of GPUs, but there is a tower on "
             << device.name << "; use --reduce=ring";
    if (!device.parsed.isInSameTaskAs(first.parsed))
      return getOperation().emitError()
             << "--reduce=nccl adds up values of the GPUs of one task, but "
                "there are towers on "
             << first.name << " and " << device.name << "; use --reduce=ring";
  }
  if (layout.devices.size() == 1)
    getOperation().emitWarning()
        << "--reduce=nccl has nothing to do: all towers are on " << first.name
        << "; name several GPUs";
  return success();
}

LogicalResult ReplicatePass::replicate(const TowerLayout &layout) {
  FailureOr<Mirrors> mirrors = Mirrors::make(getOperation(), layout);
  if (failed(mirrors))
    return failure();
  for (auto graph : getOperation().getOps<GraphOp>()) {
    if (failed(requireFlat(graph)))
      return failure();
    if (replicasOf(graph) < 2)
      mirrors->follow(graph);
    else if (failed(Towers(graph, layout, *mirrors).run()))
      return failure();
  }
  return success();
}

void ReplicatePass::runOnOperation() {
  TowerLayout layout;
  if (failed(readOptions(layout)))
    return signalPassFailure();
  int64_t towers = 1;
  for (auto graph : getOperation().getOps<GraphOp>())
    towers = std::max(towers, replicasOf(graph));
  if (towers == 1)
    return;
  if (failed(findDevices(layout, towers)) ||
      (layout.reduce == Reduce::Nccl && failed(checkLibrary(layout))) ||
      failed(replicate(layout)))
    signalPassFailure();
}

} // namespace
} // namespace graphc
