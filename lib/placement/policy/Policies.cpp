// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policies that look at one group after another.
#include "lib/placement/policy/CostModel.h"
#include "lib/placement/policy/CostPolicy.h"
#include "lib/placement/policy/PlacementPolicy.h"
#include "lib/placement/policy/VariableLoad.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using llvm::ArrayRef;
using llvm::StringRef;

namespace graphc {

namespace {

tfir::VariableOp variableOf(const PlacementNode &node) {
  return llvm::dyn_cast_or_null<tfir::VariableOp>(node.op);
}

/// TensorFlow's: the first device in the order of choice.
class FirstGpu : public PlacementPolicy {
public:
  StringRef name() const override { return choiceName(PolicyKind::FirstGpu); }

  void choose(const PlacementProblem &problem, ArrayRef<uint32_t> free,
              Completion, GroupDevices &devices) const override {
    for (uint32_t group : free)
      devices[group] = problem.allowed(group).front();
  }
};

/// Gives each device of the best kind the same work, whatever it costs to move
/// values.
class Spread : public PlacementPolicy {
public:
  explicit Spread(const CostModel &costs) : costs(costs) {}

  StringRef name() const override { return choiceName(PolicyKind::Spread); }

  void choose(const PlacementProblem &problem, ArrayRef<uint32_t> free,
              Completion, GroupDevices &devices) const override {
    std::vector<double> load(problem.devices->size());
    std::vector<char> fixed = fixedGroups(problem, free);
    for (uint32_t group = 0; group < fixed.size(); ++group)
      if (fixed[group])
        load[devices[group]] += workOf(problem, group, devices[group]);

    // Large ones first, so that the small ones can fill the gaps.
    std::vector<std::pair<double, uint32_t>> order;
    for (uint32_t group : free)
      order.push_back(
          {-workOf(problem, group, problem.allowed(group).front()), group});
    llvm::sort(order);
    for (auto [work, group] : order)
      devices[group] = leastLoaded(problem, group, load);
  }

private:
  double workOf(const PlacementProblem &problem, uint32_t group,
                uint16_t device) const {
    double seconds = 0;
    for (uint32_t node : problem.members(group)) {
      uint32_t graph = problem.nodes[node].graph;
      if (graph != kNoNode && costs.graphs()[graph].isStep)
        seconds += costs.busySeconds(node, device);
    }
    return seconds;
  }

  uint16_t leastLoaded(const PlacementProblem &problem, uint32_t group,
                       std::vector<double> &load) const {
    ArrayRef<uint16_t> allowed = problem.allowed(group);
    uint16_t best = allowed.front();
    for (uint16_t device : allowed)
      if ((*problem.devices)[device].type ==
              (*problem.devices)[allowed.front()].type &&
          load[device] < load[best])
        best = device;
    load[best] += workOf(problem, group, best);
    return best;
  }

  const CostModel &costs;
};

/// Divides the variables among the servers; everything else is with the
/// workers, as first-gpu has it.
class VariableServers : public PlacementPolicy {
public:
  void choose(const PlacementProblem &problem, ArrayRef<uint32_t> free,
              Completion, GroupDevices &devices) const override {
    std::vector<VariableServer> servers = variableServers(*problem.devices);
    std::vector<char> hasVariable(problem.groups.size());
    for (const PlacementNode &node : problem.nodes)
      if (variableOf(node))
        hasVariable[node.group] = true;
    std::vector<uint32_t> variables;
    for (uint32_t group : free)
      if (hasVariable[group])
        variables.push_back(group);
      else
        devices[group] = workerOf(problem, group);
    divide(problem, servers, fixedGroups(problem, free), variables, devices);
  }

protected:
  virtual void divide(const PlacementProblem &problem,
                      const std::vector<VariableServer> &servers,
                      const std::vector<char> &fixed,
                      ArrayRef<uint32_t> variables,
                      GroupDevices &devices) const = 0;

  /// The device of a server that a group would get, if it is allowed any.
  static std::optional<uint16_t> deviceAt(const PlacementProblem &problem,
                                          uint32_t group,
                                          const VariableServer &server) {
    for (uint16_t device : problem.allowed(group))
      if (llvm::is_contained(server, device))
        return device;
    return std::nullopt;
  }

private:
  static uint16_t workerOf(const PlacementProblem &problem, uint32_t group) {
    for (uint16_t device : problem.allowed(group))
      if ((*problem.devices)[device].name.job != "ps")
        return device;
    return problem.allowed(group).front();
  }
};

/// TensorFlow's replica_device_setter: one after another, in the order in which
/// the variables are declared.
class RoundRobin : public VariableServers {
public:
  StringRef name() const override {
    return choiceName(PolicyKind::PsRoundRobin);
  }

protected:
  void divide(const PlacementProblem &problem,
              const std::vector<VariableServer> &servers,
              const std::vector<char> &, ArrayRef<uint32_t> variables,
              GroupDevices &devices) const override {
    size_t next = 0;
    for (uint32_t group : variables) {
      devices[group] = problem.allowed(group).front();
      for (size_t i = 0; i < servers.size(); ++i) {
        size_t server = (next + i) % servers.size();
        auto device = deviceAt(problem, group, servers[server]);
        if (!device)
          continue;
        devices[group] = *device;
        next = server + 1;
        break;
      }
    }
  }
};

/// The largest variable first, to the server that has the least to do.
class ByBytes : public VariableServers {
public:
  StringRef name() const override { return choiceName(PolicyKind::PsByBytes); }

protected:
  void divide(const PlacementProblem &problem,
              const std::vector<VariableServer> &servers,
              const std::vector<char> &fixed, ArrayRef<uint32_t> variables,
              GroupDevices &devices) const override {
    std::vector<double> weight = weights(problem);
    std::vector<double> load(servers.size());
    for (uint32_t group = 0; group < fixed.size(); ++group)
      for (size_t i = 0; fixed[group] && i < servers.size(); ++i)
        if (llvm::is_contained(servers[i], devices[group]))
          load[i] += weight[group];

    std::vector<std::pair<double, uint32_t>> order;
    for (uint32_t group : variables)
      order.push_back({-weight[group], group});
    llvm::sort(order);
    for (auto [negative, group] : order) {
      std::optional<size_t> best;
      for (size_t i = 0; i < servers.size(); ++i)
        if ((!best || load[i] < load[*best]) &&
            deviceAt(problem, group, servers[i]))
          best = i;
      devices[group] = best ? *deviceAt(problem, group, servers[*best])
                            : problem.allowed(group).front();
      if (best)
        load[*best] += weight[group];
    }
  }

private:
  static std::vector<double> weights(const PlacementProblem &problem) {
    std::vector<double> weight(problem.groups.size());
    if (problem.graphs.empty())
      return weight;
    tfir::GraphOp first = problem.graphs.front();
    llvm::StringMap<unsigned> updates =
        updateCounts(first->getParentOfType<mlir::ModuleOp>());
    for (const PlacementNode &node : problem.nodes)
      if (tfir::VariableOp variable = variableOf(node))
        weight[node.group] += loadOf(variable, updates);
    return weight;
  }
};

} // namespace

std::vector<char> fixedGroups(const PlacementProblem &problem,
                              ArrayRef<uint32_t> free) {
  std::vector<char> fixed(problem.groups.size());
  for (uint32_t group = 0; group < fixed.size(); ++group)
    fixed[group] = problem.groups[group].choice == Choice::Policy;
  for (uint32_t group : free)
    fixed[group] = false;
  return fixed;
}

std::unique_ptr<PlacementPolicy> PlacementPolicy::make(PolicyKind kind,
                                                       const CostModel &costs) {
  switch (kind) {
  case PolicyKind::FirstGpu:
    return std::make_unique<FirstGpu>();
  case PolicyKind::Spread:
    return std::make_unique<Spread>(costs);
  case PolicyKind::PsRoundRobin:
    return std::make_unique<RoundRobin>();
  case PolicyKind::PsByBytes:
    return std::make_unique<ByBytes>();
  case PolicyKind::Cost:
    return makeCostPolicy(costs);
  }
  llvm_unreachable("unknown kind of policy");
}

} // namespace graphc
