// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/Placer.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"

#include "llvm/ADT/STLExtras.h"

#include <set>
#include <tuple>

namespace graphc {

namespace {

constexpr uint16_t kNowhere = ~uint16_t(0);

/// Puts the groups that go where others are.
class Followers {
public:
  Followers(const PlacementProblem &problem, Placement &placement)
      : problem(problem), placement(placement) {}

  /// Groups of leaders that are generators or read metadata, in the order of
  /// these; the others have their device.
  void place(GroupDevices &devices);

private:
  uint16_t deviceOfOperand(const GroupDevices &devices, uint32_t group) const;
  uint16_t deviceOfUsers(const GroupDevices &devices, uint32_t group) const;
  void put(GroupDevices &devices, uint32_t group, uint16_t wanted);

  const PlacementProblem &problem;
  Placement &placement;
};

/// Returns the device of the leader's first operand, if it is known by then.
uint16_t Followers::deviceOfOperand(const GroupDevices &devices,
                                    uint32_t group) const {
  uint32_t operand = problem.inputs(problem.groups[group].leader).front().node;
  return devices[problem.nodes[operand].group];
}

/// Returns the device that all users of some member share.
uint16_t Followers::deviceOfUsers(const GroupDevices &devices,
                                  uint32_t group) const {
  for (uint32_t member : problem.members(group)) {
    uint16_t found = kNowhere;
    bool isOne = true;
    for (uint32_t user : problem.users(member)) {
      uint16_t device = devices[problem.nodes[user].group];
      isOne &= found == kNowhere || found == device;
      found = device;
    }
    if (isOne && found != kNowhere &&
        llvm::is_contained(problem.allowed(group), found))
      return found;
  }
  return kNowhere;
}

void Followers::put(GroupDevices &devices, uint32_t group, uint16_t wanted) {
  if (wanted == kNowhere ||
      !llvm::is_contained(problem.allowed(group), wanted)) {
    // A feed comes from the client.
    bool isFeed = !problem.nodes[problem.groups[group].leader].op;
    auto client = problem.devices->clientHost();
    wanted =
        isFeed && client && llvm::is_contained(problem.allowed(group), *client)
            ? *client
            : problem.allowed(group).front();
    placement.choices[group] = Choice::Policy;
  }
  devices[group] = wanted;
}

void Followers::place(GroupDevices &devices) {
  for (uint32_t i = 0; i < problem.groups.size(); ++i) {
    placement.choices[i] = problem.groups[i].choice;
    if (placement.choices[i] != Choice::Policy)
      devices[i] = kNowhere;
  }
  for (uint32_t i = 0; i < problem.groups.size(); ++i)
    if (problem.groups[i].choice == Choice::Metadata)
      put(devices, i, deviceOfOperand(devices, i));
  for (uint32_t i = 0; i < problem.groups.size(); ++i)
    if (problem.groups[i].choice == Choice::Generator)
      put(devices, i, deviceOfUsers(devices, i));
}

} // namespace

static Placement chooseFor(const PlacementProblem &problem,
                           const PlacementPolicy &policy) {
  Placement placement;
  placement.devices.assign(problem.groups.size(), kNowhere);
  placement.choices.assign(problem.groups.size(), Choice::Policy);
  std::vector<uint32_t> free;
  for (uint32_t i = 0; i < problem.groups.size(); ++i)
    if (problem.allowed(i).size() == 1)
      placement.devices[i] = problem.allowed(i).front();
    else if (problem.groups[i].choice == Choice::Policy)
      free.push_back(i);
  Followers followers(problem, placement);
  auto complete = [&](GroupDevices &devices) { followers.place(devices); };
  policy.choose(problem, free, complete, placement.devices);
  complete(placement.devices);
  return placement;
}

Placement choosePlacement(const PlacementProblem &problem,
                          const PlacementPolicy &policy,
                          std::optional<PlacementPin> pin) {
  if (!pin)
    return chooseFor(problem, policy);
  PlacementProblem pinned = problem;
  pinned.groups[pin->group].allowed = pinned.allowedLists.size();
  pinned.allowedLists.push_back({pin->device});
  return chooseFor(pinned, policy);
}

uint64_t movedBytes(const PlacementProblem &problem, const Placement &placement,
                    uint32_t node) {
  auto deviceOf = [&](uint32_t of) {
    return placement.devices[problem.nodes[of].group];
  };
  // Which value, and where it goes.
  std::set<std::tuple<uint32_t, uint32_t, uint16_t>> seen;
  uint64_t bytes = 0;
  auto add = [&](const PlacementInput &input, uint32_t user) {
    if (deviceOf(input.node) != deviceOf(user) &&
        seen.insert({input.node, input.result, deviceOf(user)}).second)
      bytes += input.bytes;
  };
  auto addAll = [&](uint32_t of) {
    for (const PlacementInput &input : problem.inputs(of))
      add(input, of);
    for (uint32_t user : problem.users(of))
      for (const PlacementInput &input : problem.inputs(user))
        if (input.node == of)
          add(input, user);
  };
  if (!problem.nodes[node].isResource) {
    addAll(node);
    return bytes;
  }
  for (uint32_t member : problem.members(problem.nodes[node].group)) {
    uint32_t graph = problem.nodes[member].graph;
    if (graph != kNoNode &&
        tfir::GraphOp(problem.graphs[graph]).getSymName() != tfir::kInitGraph)
      addAll(member);
  }
  return bytes;
}

} // namespace graphc
