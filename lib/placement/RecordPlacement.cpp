// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/RecordPlacement.h"

#include "dialects/tfir/OpWork.h"
#include "lib/frontend/VariableRequest.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace graphc {

namespace {

/// Costs of all ops are computed while this bounds the ops that are placed
/// again, counted as often as they are: a few seconds.
constexpr size_t kMaxReplaced = 4000000;

class Recorder {
public:
  Recorder(const PlacementProblem &problem, const Placement &placement,
           const PlacementPolicy &policy, const CostModel &costs,
           const LoggedCosts &wanted)
      : problem(problem), placement(placement), policy(policy), costs(costs),
        wanted(wanted) {}

  PlacementLog run();

private:
  void addDevices();
  void addRecord(uint32_t node);
  void decideReason(uint32_t node, PlacementRecord &record);
  void decideChoice(uint32_t node, PlacementRecord &record);
  uint32_t followed(uint32_t node, uint16_t device) const;
  std::string requestText(const PlacementNode &node) const;
  void findReplicated();
  std::string askerOf(const PlacementNode &node) const;
  /// All of it: of one that soft placement has given up a part counts no more.
  bool isRequestMet(uint32_t node, uint16_t device) const {
    uint32_t mask = problem.specMasks[problem.nodes[node].spec];
    return problem.hasRequest(node) && problem.masks[mask].test(device);
  }

  /// The groups whose costs are wanted, one bool each.
  std::vector<char> wantedGroups() const;
  void addCosts();
  void addAlternatives(uint32_t group, bool withCosts);
  double costOf(uint32_t group, uint16_t device) const;

  const PlacementProblem &problem;
  const Placement &placement;
  const PlacementPolicy &policy;
  const CostModel &costs;
  const LoggedCosts &wanted;
  PlacementLog log;
  llvm::DenseSet<StringAttr> mirrored; ///< variables with mirrors
  bool isReplicated = false;           ///< some graph has towers or workers
};

std::string Recorder::requestText(const PlacementNode &node) const {
  std::string device = problem.specs[node.spec].toString();
  if (node.request != RequestKind::Rule)
    return "'" + device + "'";
  return "'" + node.rule->text + "' (" + node.rule->origin + ")";
}

void Recorder::findReplicated() {
  for (tfir::GraphOp graph : problem.graphs)
    isReplicated |= graph.getTowers() > 1 || graph.getInstance();
  for (const PlacementNode &node : problem.nodes)
    if (auto variable = dyn_cast_or_null<tfir::VariableOp>(node.op))
      if (FlatSymbolRefAttr of = variable.getMirrorOfAttr()) {
        mirrored.insert(variable.getSymNameAttr());
        mirrored.insert(of.getAttr());
      }
}

/// Returns the requester of a node's device, if it was not the user:
/// replication requests one device in full, in a graph that it has made, and
/// any CPU, or a device for each mirrored copy, for a variable.
std::string Recorder::askerOf(const PlacementNode &node) const {
  if (node.request != RequestKind::Device || !node.op)
    return {};
  if (auto variable = dyn_cast<tfir::VariableOp>(node.op)) {
    bool isAny = problem.specs[node.spec] == variableRequest();
    bool isAsked =
        mirrored.contains(variable.getSymNameAttr()) || (isReplicated && isAny);
    return isAsked ? "replication" : "";
  }
  if (!problem.specs[node.spec].isFull())
    return {};
  if (auto tower = tfir::getTower(node.op))
    return "replication, for tower " + std::to_string(tower.getInt()) + ",";
  tfir::GraphOp graph = problem.graphs[node.graph];
  if (auto instance = graph.getInstance())
    return "replication, for worker " + std::to_string(instance->getWorker()) +
           ",";
  return graph.getTowers() > 1 ? "replication" : "";
}

void Recorder::addDevices() {
  for (const TargetDevice &device : problem.devices->devices())
    log.devices.push_back({device.fullName, device.name.toLegacyString(),
                           device.type, device.name.id.value_or(0),
                           device.memoryLimit, 0, 0});
}

/// The constraints left several devices.
void Recorder::decideChoice(uint32_t number, PlacementRecord &record) {
  uint32_t group = problem.nodes[number].group;
  Choice meant = problem.groups[group].choice;
  switch (placement.choices[group]) {
  case Choice::Policy:
    record.reason = meant == Choice::Policy ? PlacementReason::Policy
                                            : PlacementReason::First;
    if (meant == Choice::Generator && !problem.nodes[number].op &&
        problem.devices->clientHost() == record.device)
      record.reason = PlacementReason::Client;
    return;
  case Choice::Generator: {
    record.reason = PlacementReason::Generator;
    record.subject = followed(number, record.device);
    return;
  }
  case Choice::Metadata:
    record.reason = PlacementReason::Metadata;
    record.subject = problem.inputs(problem.groups[group].leader).front().node;
    return;
  }
}

/// A user of the group on its device, of the op itself if it has one.
uint32_t Recorder::followed(uint32_t number, uint16_t device) const {
  auto firstUser = [&](uint32_t node) {
    for (uint32_t user : problem.users(node))
      if (placement.devices[problem.nodes[user].group] == device)
        return user;
    return kNoNode;
  };
  uint32_t user = firstUser(number);
  for (uint32_t member : problem.members(problem.nodes[number].group))
    if (user == kNoNode)
      user = firstUser(member);
  return user;
}

/// Of several constraints that leave only this device, the op's own counts.
void Recorder::decideReason(uint32_t number, PlacementRecord &record) {
  const PlacementNode &node = problem.nodes[number];
  if (problem.devices->size() == 1) {
    record.reason = PlacementReason::OnlyDevice;
    return;
  }
  if (problem.allowed(node.group).size() > 1) {
    decideChoice(number, record);
    return;
  }
  if (isRequestMet(number, record.device)) {
    record.reason =
        node.request == RequestKind::Assigned ? PlacementReason::Assigned
        : node.request == RequestKind::Rule   ? PlacementReason::UserRule
        : record.asker != kNoNode             ? PlacementReason::Replication
                                              : PlacementReason::Request;
    record.subject = number;
    return;
  }
  record.reason = PlacementReason::Kernel;
  record.subject = number;
  for (uint16_t device = 0; device < problem.devices->size(); ++device) {
    ExcludedBy excluded = problem.excludedBy(node.group, device);
    if (excluded.why == Exclusion::None)
      continue;
    if (excluded.why != Exclusion::Kernel) {
      record.reason = PlacementReason::Colocated;
      record.subject = excluded.node;
      return;
    }
    if (problem.masks[node.kernels].test(device))
      record.subject = excluded.node; // another member lacks it
  }
}

void Recorder::addRecord(uint32_t number) {
  const PlacementNode &node = problem.nodes[number];
  PlacementRecord record;
  record.name = node.name.str();
  record.kind = log.texts.add(node.kind);
  if (node.graph != kNoNode)
    record.graph =
        log.texts.add(tfir::GraphOp(problem.graphs[node.graph]).getSymName());
  if (auto place = node.getLoc()->findInstanceOf<FileLineColLoc>()) {
    record.file = log.texts.add(place.getFilename());
    record.line = place.getLine();
    record.column = place.getColumn();
  }
  record.group = node.group;
  record.device = placement.devices[node.group];
  record.isPostponed = problem.groups[node.group].choice == Choice::Generator;
  if (node.request != RequestKind::None) {
    record.request = log.texts.add(requestText(node));
    if (std::string asker = askerOf(node); !asker.empty())
      record.asker = log.texts.add(asker);
    record.isRequestIgnored = !isRequestMet(number, record.device);
    if (record.isRequestIgnored)
      record.movedBytes = movedBytes(problem, placement, number);
  }
  decideReason(number, record);
  LoggedDevice &device = log.devices[record.device];
  ++device.ops;
  if (auto variable = dyn_cast_or_null<tfir::VariableOp>(node.op))
    device.variableBytes += bytesOf(variable.getTensorType());
  log.records.push_back(std::move(record));
}

std::vector<char> Recorder::wantedGroups() const {
  std::vector<char> groups(problem.groups.size());
  for (const std::string &name : wanted.of)
    for (const PlacementRecord &record : log.records)
      if (name == record.name || name == log.keyOf(record))
        groups[record.group] = true;
  if (!wanted.all)
    return groups;
  size_t replaced = 0;
  for (uint32_t group = 0; group < problem.groups.size(); ++group)
    replaced += (problem.allowed(group).size() - 1) *
                (problem.nodes.size() + policy.extraEffort());
  if (replaced <= kMaxReplaced)
    std::fill(groups.begin(), groups.end(), true);
  return groups;
}

double Recorder::costOf(uint32_t group, uint16_t device) const {
  Placement other =
      choosePlacement(problem, policy, PlacementPin{group, device});
  return costs.stepSeconds(other.devices) - *log.stepSeconds;
}

void Recorder::addAlternatives(uint32_t group, bool withCosts) {
  size_t begin = log.alternativeList.size();
  llvm::BitVector allowed(problem.devices->size());
  for (uint16_t device : problem.allowed(group))
    allowed.set(device);
  for (uint16_t device = 0; device < allowed.size(); ++device) {
    LoggedAlternative next{device, device, {}, std::nullopt};
    if (!allowed.test(device))
      next.excluded = problem.excludedBy(group, device);
    else if (withCosts)
      next.cost =
          device == placement.devices[group] ? 0 : costOf(group, device);
    if (log.alternativeList.size() > begin && !next.cost) {
      LoggedAlternative &last = log.alternativeList.back();
      if (!last.cost && last.excluded.why == next.excluded.why &&
          last.excluded.node == next.excluded.node) {
        last.last = device;
        continue;
      }
    }
    log.alternativeList.push_back(next);
  }
}

void Recorder::addCosts() {
  log.stepSeconds = costs.stepSeconds(placement.devices);
  for (uint32_t node = 0; node < problem.nodes.size(); ++node)
    if (!costs.isEverywhere(node))
      log.records[node].busySeconds =
          costs.busySeconds(node, log.records[node].device);
}

PlacementLog Recorder::run() {
  log.policy = policy.name().str();
  addDevices();
  findReplicated();
  log.records.reserve(problem.nodes.size());
  for (uint32_t node = 0; node < problem.nodes.size(); ++node)
    addRecord(node);
  std::vector<char> groups = wantedGroups();
  if (wanted.all || llvm::is_contained(groups, true))
    addCosts();
  log.alternativeBegin.push_back(0);
  for (uint32_t group = 0; group < problem.groups.size(); ++group) {
    addAlternatives(group, groups[group]);
    log.alternativeBegin.push_back(log.alternativeList.size());
  }
  return std::move(log);
}

} // namespace

PlacementLog recordPlacement(const PlacementProblem &problem,
                             const Placement &placement,
                             const PlacementPolicy &policy,
                             const CostModel &costs,
                             const LoggedCosts &wanted) {
  return Recorder(problem, placement, policy, costs, wanted).run();
}

void emitRemarks(const PlacementProblem &problem, const PlacementLog &log) {
  for (const auto &[node, record] : llvm::zip(problem.nodes, log.records))
    emitRemark(node.getLoc())
        << "'" << record.name << "' is on '" << log.devices[record.device].name
        << "': " << log.whyOf(record);
}

} // namespace graphc
