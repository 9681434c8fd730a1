// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts every op and variable on a device:
//
//   %y = tfir.matmul %x, %w {device = #tfir.device<"/device:GPU:*">}
//     -> {assigned_device =
//           #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">}
//
// Relies on flat device scopes and names. Guarantees: what refers to one
// variable, and what is colocated, is on one device, which has kernels for it
// and fits what the user requests.
#include "graphc/Passes.h"

#include "dialects/tfir/Tfir.h"
#include "lib/placement/ColocationGroups.h"
#include "lib/placement/DeviceRequests.h"
#include "lib/placement/OpKernels.h"
#include "lib/placement/PlacementGraph.h"
#include "lib/placement/Placer.h"
#include "lib/placement/RecordPlacement.h"
#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/placement/inputs/DeviceTable.h"
#include "lib/placement/inputs/PlacementLock.h"
#include "runtime/base/Suggest.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_PLACEPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// More softened requests are only counted.
constexpr unsigned kMaxSoftened = 20;

/// Files that the options name, read.
struct PlacementInputs {
  KernelTable kernels;
  PlacementRules rules;
  CostTable costs;
  std::optional<PlacementLock> lock;
};

runtime::StatusOr<PlacementInputs> readInputs(const PlacementOptions &options) {
  PlacementInputs inputs;
  if (!options.kernels.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(runtime::TextFile file,
                            readTextFile(options.kernels));
    GRAPHC_ASSIGN_OR_RETURN(inputs.kernels, KernelTable::parse(file));
  }
  GRAPHC_ASSIGN_OR_RETURN(inputs.rules,
                          readPlacementRules(options.place, options.rules));
  GRAPHC_ASSIGN_OR_RETURN(inputs.costs, readCostTable(options.costs));
  if (!options.lock.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(runtime::TextFile file, readTextFile(options.lock));
    GRAPHC_ASSIGN_OR_RETURN(inputs.lock, PlacementLock::parse(file));
  }
  return inputs;
}

/// Writes a placement into the module and warns the user.
class PlacementWriter {
public:
  PlacementWriter(ModuleOp module, const PlacementProblem &problem,
                  const Placement &placement)
      : module(module), problem(problem), placement(placement) {}

  void write();
  void warnOfSoftened();
  void warnOfUnused();
  void warnOfRules(const PlacementRules &rules);

private:
  uint16_t deviceOf(uint32_t node) const {
    return placement.devices[problem.nodes[node].group];
  }
  void warn(uint32_t node) const;
  std::string reasonText(uint32_t node) const;

  ModuleOp module;
  const PlacementProblem &problem;
  const Placement &placement;
};

void PlacementWriter::write() {
  MLIRContext *context = module.getContext();
  std::vector<DeviceAttr> names;
  for (const TargetDevice &device : problem.devices->devices())
    names.push_back(attributeOf(context, device));
  std::vector<SmallVector<Attribute>> feeds(problem.graphs.size());
  for (uint32_t i = 0; i < problem.nodes.size(); ++i) {
    const PlacementNode &node = problem.nodes[i];
    if (node.op)
      setAssignedDevice(node.op, names[deviceOf(i)]);
    else
      feeds[node.graph].push_back(names[deviceOf(i)]);
  }
  for (auto [graph, devices] : llvm::zip(problem.graphs, feeds))
    if (!devices.empty())
      GraphOp(graph).setFeedDevicesAttr(ArrayAttr::get(context, devices));
}

/// Reason why a request could not be met, as far as one constraint tells it.
std::string PlacementWriter::reasonText(uint32_t node) const {
  const PlacementNode &of = problem.nodes[node];
  std::string spec = problem.specs[of.spec].toString();
  const llvm::BitVector &wanted = problem.masks[problem.specMasks[of.spec]];
  if (wanted.none())
    return "there is no such device";
  if (!wanted.anyCommon(problem.masks[of.kernels]))
    return "it has kernels for " +
           kindsText(kernelKinds(of.op, *problem.kernels)) + " only";
  return "ops that share its device cannot be there";
}

void PlacementWriter::warn(uint32_t node) const {
  const PlacementNode &of = problem.nodes[node];
  emitWarning(of.getLoc()) << "'" << of.name << "' (" << of.kind
                           << ") requests " << requestText(problem, of)
                           << ", but " << reasonText(node)
                           << "; soft placement puts it on '"
                           << (*problem.devices)[deviceOf(node)].fullName
                           << "', and " << movedBytes(problem, placement, node)
                           << " bytes per step move between it and others";
}

void PlacementWriter::warnOfSoftened() {
  unsigned count = 0;
  for (uint32_t i = 0; i < problem.nodes.size(); ++i)
    if (problem.nodes[i].isSoftened && ++count <= kMaxSoftened)
      warn(i);
  for (const PlacementLink &link : problem.links)
    if (link.isDropped && ++count <= kMaxSoftened)
      emitWarning(problem.nodes[link.to].getLoc())
          << "'" << problem.nodes[link.to].name << "' is to be where '"
          << problem.nodes[link.from].name
          << "' is, but no device fits both; soft placement puts them on '"
          << (*problem.devices)[deviceOf(link.to)].fullName << "' and '"
          << (*problem.devices)[deviceOf(link.from)].fullName << "'";
  if (count > kMaxSoftened)
    emitWarning(module.getLoc())
        << count - kMaxSoftened
        << " more requests are not met; --log-device-placement=json has them";
}

void PlacementWriter::warnOfUnused() {
  llvm::BitVector used(problem.devices->size());
  for (uint16_t device : placement.devices)
    used.set(device);
  std::vector<std::string> unused;
  for (auto [number, device] : llvm::enumerate(problem.devices->devices()))
    if (!used.test(number) && !device.implied)
      unused.push_back(device.fullName);
  if (!unused.empty() && used.any())
    emitWarning(module.getLoc())
        << "nothing is placed on " << runtime::quotedList(unused)
        << "; request them with 'device', or leave them out of the devices to "
           "compile for";
}

/// A rule that decides nothing is probably misspelt.
void PlacementWriter::warnOfRules(const PlacementRules &rules) {
  llvm::SmallPtrSet<const PlacementRule *, 8> used;
  for (const PlacementNode &node : problem.nodes)
    used.insert(node.rule);
  for (const PlacementRule &rule : rules.rules())
    if (!used.contains(&rule))
      emitWarning(module.getLoc())
          << "the rule '" << rule.text << "' (" << rule.origin
          << ") decides about no op: none matches that has no 'device' and "
             "that no earlier rule matches; correct it, or leave it out";
}

struct PlacePass : impl::PlacePassBase<PlacePass> {
  using Base::Base;
  PlacePass(const PlacePassOptions &options, const LoggedCosts &wanted,
            TakePlacement take)
      : Base(options), wanted(wanted), take(std::move(take)) {}

  void runOnOperation() override {
    runtime::StatusOr<PlacementInputs> inputs = readInputs(placementOptions());
    if (!inputs.isOk()) {
      getOperation().emitError() << inputs.status().message();
      return signalPassFailure();
    }
    if (failed(placeModule(*inputs)))
      signalPassFailure();
  }

private:
  PlacementOptions placementOptions() const;
  LogicalResult placeModule(const PlacementInputs &inputs);

  LoggedCosts wanted;
  TakePlacement take;
};

PlacementOptions PlacePass::placementOptions() const {
  PlacementOptions options;
  options.kernels = kernels;
  options.place.assign(place.begin(), place.end());
  options.rules = rules;
  options.costs = costs;
  options.lock = lock;
  return options;
}

LogicalResult PlacePass::placeModule(const PlacementInputs &inputs) {
  ModuleOp module = getOperation();
  DeviceSet devices = readDeviceTable(module);
  for (const std::string &warning : inputs.rules.warnings())
    emitWarning(module.getLoc()) << warning;

  FailureOr<PlacementProblem> problem =
      readPlacementGraph(module, devices, inputs.kernels, inputs.rules, soft);
  if (failed(problem) || failed(formGroups(*problem, soft)))
    return failure();

  CostModel costModel(*problem, inputs.costs);
  std::unique_ptr<PlacementPolicy> chooser =
      PlacementPolicy::make(policy, costModel);
  Placement placement = choosePlacement(*problem, *chooser);
  if (inputs.lock && failed(inputs.lock->check(module, *problem, placement)))
    return failure();
  if (take || remarks) {
    auto log = std::make_shared<const PlacementLog>(
        recordPlacement(*problem, placement, *chooser, costModel, wanted));
    if (remarks)
      emitRemarks(*problem, *log);
    if (take)
      take(log);
  }

  PlacementWriter writer(module, *problem, placement);
  writer.write();
  writer.warnOfSoftened();
  writer.warnOfUnused();
  writer.warnOfRules(inputs.rules);
  return success();
}

} // namespace

std::unique_ptr<Pass> createPlacePass(const PlacePassOptions &options,
                                      const LoggedCosts &wanted,
                                      TakePlacement take) {
  return std::make_unique<PlacePass>(options, wanted, std::move(take));
}

} // namespace graphc
