// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/policy/CostPolicy.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <utility>

using llvm::ArrayRef;
using llvm::StringLiteral;
using llvm::StringRef;

namespace graphc {

namespace {

/// Of so many devices it tries one after another; more of them are alike.
constexpr size_t kMaxTried = 64;

/// Single moves are tried while this bounds the ops that are simulated, counted
/// as often as they are: a tenth of a second.
constexpr size_t kMaxSimulated = 200000;

/// Less than this is rounding, and would go on without end.
constexpr double kMinGain = 1 - 1e-9;

/// Goes through the ops from the one with the longest way to the end, and puts
/// each where it would be done first.
class EarliestFinish {
public:
  EarliestFinish(const PlacementProblem &problem, const CostModel &costs,
                 ArrayRef<uint32_t> free, GroupDevices &devices)
      : problem(problem), costs(costs), devices(devices),
        decided(fixedGroups(problem, free)), finish(problem.nodes.size()),
        incoming(problem.nodes.size()) {}

  void run(ArrayRef<uint32_t> free) {
    for (const CostModel::Range &range : costs.graphs())
      if (range.isStep)
        visit(range);
    for (uint32_t group : free)
      if (!decided[group])
        devices[group] = problem.allowed(group).front();
  }

private:
  uint32_t groupOf(uint32_t node) const { return problem.nodes[node].group; }
  /// Returns the probable device of a node.
  uint16_t guess(uint32_t node) const {
    uint32_t group = groupOf(node);
    return decided[group] ? devices[group] : problem.allowed(group).front();
  }
  bool follows(uint32_t node) const {
    return problem.groups[groupOf(node)].choice != Choice::Policy;
  }

  void visit(const CostModel::Range &range) {
    std::vector<double> free(problem.devices->size());
    for (uint32_t node : byRank(range)) {
      uint32_t group = groupOf(node);
      double end = 0;
      if (follows(node)) {
        // It will be with its users.
        end = ready(node, guess(node));
      } else if (decided[group]) {
        end = endOn(node, devices[group], free);
      } else {
        devices[group] = best(node, free);
        decided[group] = true;
        end = endOn(node, devices[group], free);
      }
      finish[node] = end;
      if (!follows(node) && costs.busySeconds(node, devices[group]) > 0)
        free[devices[group]] = end;
      for (const CostModel::Edge &edge : costs.edges(node))
        incoming[edge.user].push_back({node, edge.bytes});
    }
  }

  /// Makers are before users, since a way is longer by what it goes through.
  std::vector<uint32_t> byRank(const CostModel::Range &range) {
    std::vector<double> rank(range.end - range.begin);
    std::vector<uint32_t> order;
    for (uint32_t node = range.end; node-- > range.begin;) {
      double longest = 0;
      for (const CostModel::Edge &edge : costs.edges(node))
        longest = std::max(longest, rank[edge.user - range.begin]);
      rank[node - range.begin] = longest + costs.busySeconds(node, guess(node));
      order.push_back(node);
    }
    llvm::sort(order, [&](uint32_t a, uint32_t b) {
      double first = rank[a - range.begin], second = rank[b - range.begin];
      return first != second ? first > second : a < b;
    });
    return order;
  }

  /// Time at which a node's operands are on a device.
  double ready(uint32_t node, uint16_t device) const {
    double time = 0;
    for (const auto &[maker, bytes] : incoming[node]) {
      bool isHere = follows(maker) || costs.isEverywhere(maker) ||
                    devices[groupOf(maker)] == device;
      double way = isHere ? 0
                          : costs.transferSeconds(devices[groupOf(maker)],
                                                  device, bytes);
      time = std::max(time, finish[maker] + way);
    }
    return time;
  }

  double endOn(uint32_t node, uint16_t device,
               const std::vector<double> &free) const {
    double busy = costs.busySeconds(node, device);
    double begin = ready(node, device);
    return busy > 0 ? std::max(begin, free[device]) + busy : begin;
  }

  uint16_t best(uint32_t node, const std::vector<double> &free) const {
    ArrayRef<uint16_t> allowed = problem.allowed(groupOf(node));
    uint16_t choice = allowed.front();
    double least = std::numeric_limits<double>::infinity();
    for (uint16_t device : allowed.take_front(kMaxTried)) {
      double end = endOn(node, device, free);
      if (end < least) {
        least = end;
        choice = device;
      }
    }
    return choice;
  }

  const PlacementProblem &problem;
  const CostModel &costs;
  GroupDevices &devices;
  std::vector<char> decided;  ///< by group
  std::vector<double> finish; ///< by node
  std::vector<std::vector<std::pair<uint32_t, double>>> incoming;
};

/// Moves one group after another while that makes the step shorter.
class HillClimb {
public:
  HillClimb(const PlacementProblem &problem, const CostModel &costs,
            PlacementPolicy::Completion complete)
      : problem(problem), costs(costs), complete(complete) {}

  /// `seconds`: what the step takes with `devices`.
  void run(ArrayRef<uint32_t> free, GroupDevices &devices, double seconds) {
    size_t left = kMaxSimulated / std::max<size_t>(1, problem.nodes.size());
    bool isBetter = true;
    while (std::exchange(isBetter, false))
      for (uint32_t group : free)
        for (uint16_t device : problem.allowed(group).take_front(kMaxTried)) {
          uint16_t before = devices[group];
          if (device == before)
            continue;
          if (left-- == 0)
            return;
          devices[group] = device;
          GroupDevices whole = devices;
          complete(whole);
          double now = costs.stepSeconds(whole);
          if (now < seconds * kMinGain) {
            seconds = now;
            isBetter = true;
          } else {
            devices[group] = before;
          }
        }
  }

private:
  const PlacementProblem &problem;
  const CostModel &costs;
  PlacementPolicy::Completion complete;
};

/// The best of all: list scheduling and every other policy, and from there on
/// to where no single move helps.
class Cost : public PlacementPolicy {
public:
  explicit Cost(const CostModel &costs) : costs(costs) {
    for (const NamedChoice<PolicyKind> &other : Choices<PolicyKind>::kAll)
      if (other.value != PolicyKind::Cost)
        others.push_back(PlacementPolicy::make(other.value, costs));
  }

  StringRef name() const override { return choiceName(PolicyKind::Cost); }

  size_t extraEffort() const override { return kMaxSimulated; }

  void choose(const PlacementProblem &problem, ArrayRef<uint32_t> free,
              Completion complete, GroupDevices &devices) const override {
    if (free.empty())
      return;
    const GroupDevices given = devices;
    double least = std::numeric_limits<double>::infinity();
    auto consider = [&](GroupDevices candidate) {
      GroupDevices whole = candidate;
      complete(whole);
      double seconds = costs.stepSeconds(whole);
      if (seconds < least) {
        least = seconds;
        devices = std::move(candidate);
      }
    };
    for (const auto &policy : others) {
      GroupDevices candidate = given;
      policy->choose(problem, free, complete, candidate);
      consider(std::move(candidate));
    }
    GroupDevices candidate = given;
    EarliestFinish(problem, costs, free, candidate).run(free);
    consider(std::move(candidate));
    HillClimb(problem, costs, complete).run(free, devices, least);
  }

private:
  const CostModel &costs;
  std::vector<std::unique_ptr<PlacementPolicy>> others;
};

} // namespace

std::unique_ptr<PlacementPolicy> makeCostPolicy(const CostModel &costs) {
  return std::make_unique<Cost>(costs);
}

} // namespace graphc
