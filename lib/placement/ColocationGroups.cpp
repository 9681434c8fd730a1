// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/ColocationGroups.h"

#include "lib/placement/Conflicts.h"
#include "lib/placement/DisjointSets.h"

#include "llvm/ADT/DenseMap.h"

using graphc::runtime::DeviceName;

namespace graphc {

namespace {

/// Most conflicts that are reported.
constexpr unsigned kMaxConflicts = 10;
/// Members whose kernels order the kinds of device differently.
constexpr uint32_t kNoOrder = ~0u;

class GroupBuilder {
public:
  GroupBuilder(PlacementProblem &problem, bool soft)
      : problem(problem), soft(soft), sets(problem.nodes.size()) {}

  llvm::LogicalResult build();

private:
  void startSets();
  void uniteReferences();
  void heedHanging(uint32_t node);
  void uniteColocations();
  bool unite(uint32_t a, uint32_t b);
  bool mergeResources(uint32_t a, uint32_t b, DeviceName &merged) const;

  void makeGroups();
  void chooseLeader(PlacementGroup &group);
  uint32_t soften(uint32_t group, uint32_t root);
  uint32_t softMatches(uint32_t group, uint32_t root);
  llvm::LogicalResult allowDevices();
  uint32_t allowedList(uint32_t mask, uint32_t priorities);
  uint32_t prioritiesOf(uint32_t group) const;
  void reportConflicts(llvm::ArrayRef<uint32_t> groups);

  bool isPin(uint32_t node) const {
    return problem.nodes[node].request == RequestKind::Assigned ||
           (problem.nodes[node].request != RequestKind::None &&
            !isHanging.test(node));
  }

  PlacementProblem &problem;
  bool soft;
  DisjointSets sets;
  /// Of the node that stands for a set: the devices that meet everything, and
  /// those that meet what is never given up. Without soft placement they are
  /// the same.
  std::vector<uint32_t> full, hard;
  /// With soft placement: of sets with resources that are pinned, where to.
  llvm::DenseMap<uint32_t, DeviceName> resources;
  llvm::BitVector isHanging; ///< refers to another node's resource
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> lists;
};

/// Every node alone, with its kernels and the requests that nothing overrides.
void GroupBuilder::startSets() {
  size_t count = problem.nodes.size();
  isHanging.resize(count);
  for (const PlacementLink &link : problem.links)
    if (link.isReference)
      isHanging.set(link.to);
  full.resize(count);
  hard.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    const PlacementNode &node = problem.nodes[i];
    full[i] = hard[i] = node.kernels;
    if (!isPin(i))
      continue;
    bool isAssigned = node.request == RequestKind::Assigned;
    full[i] = problem.masks.intersect(full[i], problem.specMasks[node.spec]);
    hard[i] =
        soft && !isAssigned
            ? problem.masks.intersect(hard[i], problem.specTaskMasks[node.spec])
            : full[i];
    if (soft && node.isResource && !isAssigned)
      resources[i] = problem.specs[node.spec];
  }
}

/// Merges the pinned devices of two sets' resources; false if that is
/// impossible.
bool GroupBuilder::mergeResources(uint32_t a, uint32_t b,
                                  DeviceName &merged) const {
  auto both =
      runtime::mergeDeviceNames(resources.lookup(a), resources.lookup(b));
  if (both.isOk())
    merged = *both;
  return both.isOk();
}

/// False when the resources of the two are pinned apart; they share a set
/// nevertheless.
bool GroupBuilder::unite(uint32_t a, uint32_t b) {
  a = sets.find(a);
  b = sets.find(b);
  if (a == b)
    return true;
  uint32_t root = sets.unite(a, b);
  full[root] = problem.masks.intersect(full[a], full[b]);
  hard[root] = problem.masks.intersect(hard[a], hard[b]);
  if (resources.empty())
    return true;
  DeviceName merged;
  bool fits = mergeResources(a, b, merged);
  resources[root] = merged;
  return fits;
}

void GroupBuilder::uniteReferences() {
  uint32_t nowhere =
      problem.masks.intern(llvm::BitVector(problem.devices->size()));
  for (const PlacementLink &link : problem.links)
    if (link.isReference && !unite(link.from, link.to))
      hard[sets.find(link.to)] = full[sets.find(link.to)] = nowhere;

  llvm::DenseMap<uint32_t, uint32_t> hangsOn;
  for (const PlacementLink &link : problem.links)
    if (link.isReference)
      hangsOn.try_emplace(link.to, link.from);
  for (uint32_t node : isHanging.set_bits())
    if (problem.nodes[node].request != RequestKind::None && !isPin(node)) {
      problem.nodes[node].ignoredFor = hangsOn.lookup(node);
      heedHanging(node);
    }
}

/// Lets the request count where there is room for it, or where it is against
/// the op's own kernels, which is an error.
void GroupBuilder::heedHanging(uint32_t number) {
  PlacementNode &node = problem.nodes[number];
  uint32_t root = sets.find(number);
  uint32_t wish = problem.specMasks[node.spec];
  uint32_t both = problem.masks.intersect(full[root], wish);
  uint32_t own = problem.masks.intersect(node.kernels, wish);
  bool isWrong = !soft && problem.masks.isEmpty(own);
  if (problem.masks.isEmpty(both) && !isWrong)
    return;
  node.ignoredFor = kNoNode;
  full[root] = both;
  hard[root] = soft ? problem.masks.intersect(hard[root],
                                              problem.specTaskMasks[node.spec])
                    : both;
}

void GroupBuilder::uniteColocations() {
  for (PlacementLink &link : problem.links) {
    if (link.isReference)
      continue;
    uint32_t a = sets.find(link.from), b = sets.find(link.to);
    DeviceName merged;
    if (soft && a != b &&
        (problem.masks.isEmpty(problem.masks.intersect(hard[a], hard[b])) ||
         !mergeResources(a, b, merged)))
      link.isDropped = true;
    else
      unite(a, b);
  }
}

/// TensorFlow asks the first op of a group that is not a generator.
void GroupBuilder::chooseLeader(PlacementGroup &group) {
  llvm::ArrayRef<uint32_t> members(
      problem.memberList.data() + group.firstMember, group.memberCount);
  auto leader = llvm::find_if(members, [&](uint32_t member) {
    return !problem.nodes[member].isGenerator;
  });
  group.leader = leader == members.end() ? members.front() : *leader;
  const PlacementNode &node = problem.nodes[group.leader];
  if (node.isGenerator)
    group.choice = Choice::Generator;
  else if (node.isMetadata)
    group.choice = Choice::Metadata;
}

void GroupBuilder::makeGroups() {
  size_t count = problem.nodes.size();
  std::vector<uint32_t> groupOf(count, kNoNode); // of what stands for a set
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t &group = groupOf[sets.find(i)];
    if (group == kNoNode) {
      group = problem.groups.size();
      problem.groups.emplace_back();
    }
    problem.nodes[i].group = group;
    ++problem.groups[group].memberCount;
  }
  uint32_t begin = 0;
  for (PlacementGroup &group : problem.groups) {
    group.firstMember = begin;
    begin += group.memberCount;
  }
  problem.memberList.resize(count);
  std::vector<uint32_t> filled(problem.groups.size(), 0);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t group = problem.nodes[i].group;
    problem.memberList[problem.groups[group].firstMember + filled[group]++] = i;
  }
  for (PlacementGroup &group : problem.groups)
    chooseLeader(group);
  for (const PlacementLink &link : problem.links)
    if (link.isDropped)
      problem.groups[problem.nodes[link.to].group].softened =
          Softened::Colocation;
}

/// The devices that fit the requests of a group when types and ids that differ
/// are left open, but for those of resources.
uint32_t GroupBuilder::softMatches(uint32_t group, uint32_t root) {
  DeviceName merged;
  for (uint32_t member : problem.members(group)) {
    if (!problem.hasRequest(member))
      continue;
    auto both = runtime::mergeDeviceNames(
        merged, problem.specs[problem.nodes[member].spec],
        runtime::PlacementMode::Soft);
    if (!both.isOk())
      break;
    merged = *both;
  }
  merged = merged.overriddenBy(resources.lookup(root));
  llvm::BitVector mask(problem.devices->size());
  for (size_t device : problem.devices->matching(merged))
    mask.set(device);
  return problem.masks.intern(mask);
}

/// The devices of a group whose requests cannot all be met: as much of them as
/// possible is kept, longest those of resources.
uint32_t GroupBuilder::soften(uint32_t group, uint32_t root) {
  DeviceMasks &masks = problem.masks;
  uint32_t mask = hard[root];
  auto keep = [&](uint32_t wanted) {
    wanted = masks.intersect(hard[root], wanted);
    if (masks.isEmpty(wanted))
      return false;
    mask = wanted;
    return true;
  };
  if (!keep(softMatches(group, root))) {
    uint32_t pins = DeviceMasks::kAll;
    for (uint32_t member : problem.members(group))
      if (problem.nodes[member].isResource && problem.hasRequest(member))
        pins = masks.intersect(pins,
                               problem.specMasks[problem.nodes[member].spec]);
    keep(pins);
  }
  problem.groups[group].softened = Softened::Request;
  for (uint32_t member : problem.members(group)) {
    PlacementNode &node = problem.nodes[member];
    node.isSoftened =
        problem.hasRequest(member) && node.request != RequestKind::Assigned &&
        masks.intersect(problem.specMasks[node.spec], mask) != mask;
  }
  return mask;
}

/// The order of kinds that all members with one agree on.
uint32_t GroupBuilder::prioritiesOf(uint32_t group) const {
  uint32_t found = 0;
  for (uint32_t member : problem.members(group)) {
    uint32_t own = problem.nodes[member].priorities;
    if (own && found && own != found)
      return kNoOrder;
    found = own ? own : found;
  }
  return found;
}

uint32_t GroupBuilder::allowedList(uint32_t mask, uint32_t priorities) {
  auto [entry, isNew] =
      lists.try_emplace({mask, priorities}, problem.allowedLists.size());
  if (!isNew)
    return entry->second;
  std::vector<uint16_t> devices;
  for (unsigned device : problem.masks[mask].set_bits())
    devices.push_back(device);
  if (priorities && priorities != kNoOrder) {
    auto priorityOf = [&](uint16_t number) {
      const TargetDevice &device = (*problem.devices)[number];
      for (const KernelKind &kind : problem.priorityLists[priorities])
        if (kind.type == device.type && kind.priority)
          return *kind.priority;
      return device.priority;
    };
    llvm::sort(devices, [&](uint16_t a, uint16_t b) {
      return std::make_pair(-int64_t(priorityOf(a)), a) <
             std::make_pair(-int64_t(priorityOf(b)), b);
    });
  }
  problem.allowedLists.push_back(std::move(devices));
  return entry->second;
}

void GroupBuilder::reportConflicts(llvm::ArrayRef<uint32_t> groups) {
  llvm::DenseMap<uint32_t, std::vector<PlacementLink>> links;
  for (uint32_t group : groups)
    links[group];
  for (const PlacementLink &link : problem.links) {
    auto found = links.find(problem.nodes[link.to].group);
    if (found != links.end() && !link.isDropped)
      found->second.push_back(link);
  }
  for (uint32_t group : groups)
    reportConflict(problem, problem.members(group), links[group], soft);
}

llvm::LogicalResult GroupBuilder::allowDevices() {
  std::vector<uint32_t> conflicts;
  for (uint32_t i = 0; i < problem.groups.size(); ++i) {
    PlacementGroup &group = problem.groups[i];
    uint32_t root = sets.find(problem.members(i).front());
    uint32_t mask = full[root];
    if (soft && problem.masks.isEmpty(mask) &&
        !problem.masks.isEmpty(hard[root]))
      mask = soften(i, root);
    if (!problem.masks.isEmpty(mask))
      group.allowed = allowedList(mask, prioritiesOf(i));
    else if (conflicts.size() < kMaxConflicts)
      conflicts.push_back(i);
  }
  if (conflicts.empty())
    return llvm::success();
  reportConflicts(conflicts);
  return llvm::failure();
}

llvm::LogicalResult GroupBuilder::build() {
  startSets();
  uniteReferences();
  uniteColocations();
  makeGroups();
  return allowDevices();
}

} // namespace

llvm::LogicalResult formGroups(PlacementProblem &problem, bool soft) {
  return GroupBuilder(problem, soft).build();
}

} // namespace graphc
