// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/policy/CostModel.h"

#include "dialects/tfir/Names.h"

#include <algorithm>
#include <queue>
#include <tuple>

using llvm::ArrayRef;

namespace graphc {

namespace {

uint32_t linkKey(uint16_t from, uint16_t to) {
  return uint32_t(from) << 16 | to;
}

/// One step of one graph. A device takes, of what is ready, the node from which
/// the way to the end is the longest.
class StepSimulation {
public:
  StepSimulation(const PlacementProblem &problem, const CostModel &model,
                 const GroupDevices &devices, CostModel::Range range);

  double run();

private:
  struct Event {
    double time;
    uint32_t node;
    bool isDone; ///< otherwise its operands are there

    /// The earliest is on top of a queue.
    bool operator<(const Event &other) const {
      return std::tie(other.time, other.node, other.isDone) <
             std::tie(time, node, isDone);
    }
  };
  struct Ready {
    double rest; ///< seconds to the end
    uint32_t node;

    bool operator<(const Ready &other) const {
      return std::tie(rest, other.node) < std::tie(other.rest, node);
    }
  };
  struct Lane {
    std::priority_queue<Ready> ready;
    bool isBusy = false;
  };

  uint16_t deviceOf(uint32_t node) const {
    return devices[problem.nodes[node].group];
  }
  size_t at(uint32_t node) const { return node - range.begin; }
  void computeRest();
  void handle(const Event &event);
  /// The time at which the value is on the device of its user.
  double arrival(uint32_t node, const CostModel::Edge &edge, double now);
  void start(uint16_t device, double now);

  const PlacementProblem &problem;
  const CostModel &model;
  const GroupDevices &devices;
  CostModel::Range range;
  std::vector<double> rest;      ///< by node: seconds to the end, with its own
  std::vector<double> readyAt;   ///< by node
  std::vector<uint32_t> missing; ///< by node: operands that are not there
  std::vector<Lane> lanes;       ///< by device
  std::vector<uint16_t> touched; ///< devices with something new to do
  std::vector<std::pair<uint64_t, double>> sent; ///< of the node in hand
  llvm::DenseMap<uint32_t, double> linkFree;
  std::priority_queue<Event> events;
};

StepSimulation::StepSimulation(const PlacementProblem &problem,
                               const CostModel &model,
                               const GroupDevices &devices,
                               CostModel::Range range)
    : problem(problem), model(model), devices(devices), range(range),
      rest(range.end - range.begin), readyAt(range.end - range.begin),
      missing(range.end - range.begin), lanes(model.deviceCount()) {
  for (uint32_t node = range.begin; node < range.end; ++node)
    for (const CostModel::Edge &edge : model.edges(node))
      ++missing[at(edge.user)];
}

void StepSimulation::computeRest() {
  for (uint32_t node = range.end; node-- > range.begin;) {
    uint16_t device = deviceOf(node);
    double longest = 0;
    for (const CostModel::Edge &edge : model.edges(node)) {
      uint16_t other = deviceOf(edge.user);
      double way = other == device || model.isEverywhere(node)
                       ? 0
                       : model.transferSeconds(device, other, edge.bytes);
      longest = std::max(longest, way + rest[at(edge.user)]);
    }
    rest[at(node)] = longest + model.busySeconds(node, device);
  }
}

double StepSimulation::arrival(uint32_t node, const CostModel::Edge &edge,
                               double now) {
  uint16_t from = deviceOf(node), to = deviceOf(edge.user);
  if (from == to || model.isEverywhere(node))
    return now;
  // A value is sent to a device once.
  uint64_t key = uint64_t(edge.result) << 16 | to;
  for (const auto &[known, time] : sent)
    if (known == key)
      return time;
  double &free = linkFree[linkKey(from, to)];
  double begin = std::max(now, free);
  free = begin + model.linkSeconds(from, to, edge.bytes);
  double time = begin + model.transferSeconds(from, to, edge.bytes);
  sent.push_back({key, time});
  return time;
}

void StepSimulation::handle(const Event &event) {
  uint16_t device = deviceOf(event.node);
  if (!event.isDone) {
    lanes[device].ready.push({rest[at(event.node)], event.node});
    touched.push_back(device);
    return;
  }
  if (model.busySeconds(event.node, device) > 0) {
    lanes[device].isBusy = false;
    touched.push_back(device);
  }
  sent.clear();
  for (const CostModel::Edge &edge : model.edges(event.node)) {
    double &ready = readyAt[at(edge.user)];
    ready = std::max(ready, arrival(event.node, edge, event.time));
    if (--missing[at(edge.user)] == 0)
      events.push({ready, edge.user, false});
  }
}

void StepSimulation::start(uint16_t device, double now) {
  Lane &lane = lanes[device];
  while (!lane.isBusy && !lane.ready.empty()) {
    uint32_t node = lane.ready.top().node;
    lane.ready.pop();
    double busy = model.busySeconds(node, device);
    lane.isBusy = busy > 0;
    events.push({now + busy, node, true});
  }
}

double StepSimulation::run() {
  computeRest();
  for (uint32_t node = range.begin; node < range.end; ++node)
    if (missing[at(node)] == 0)
      events.push({0, node, false});
  double now = 0;
  while (!events.empty()) {
    now = events.top().time;
    // All of one moment first, so that the most urgent is known.
    while (!events.empty() && events.top().time == now) {
      Event event = events.top();
      events.pop();
      handle(event);
    }
    for (uint16_t device : touched)
      start(device, now);
    touched.clear();
  }
  return now;
}

} // namespace

const CostModel::Prepared &CostModel::prepare() const {
  if (prepared)
    return *prepared;
  Prepared &made = prepared.emplace();
  size_t count = problem.nodes.size();
  made.work.resize(count);
  made.everywhere.resize(count);
  made.edgeBegin.assign(count + 1, 0);
  made.graphs.resize(problem.graphs.size());
  for (size_t i = 0; i < made.graphs.size(); ++i) {
    mlir::StringRef name = tfir::GraphOp(problem.graphs[i]).getSymName();
    made.graphs[i] = {0, 0, name != tfir::kInitGraph};
  }
  for (uint32_t node = 0; node < count; ++node) {
    mlir::Operation *op = problem.nodes[node].op;
    made.work[node].isKernel = false;
    if (op)
      made.work[node] = workOf(op);
    made.everywhere[node] = op && op->hasTrait<tfir::Rematerializable>();
    if (uint32_t graph = problem.nodes[node].graph; graph != kNoNode) {
      Range &range = made.graphs[graph];
      if (range.begin == range.end)
        range.begin = node;
      range.end = node + 1;
    }
    for (const PlacementInput &input : problem.inputs(node))
      ++made.edgeBegin[input.node + 1];
  }
  for (size_t i = 0; i < count; ++i)
    made.edgeBegin[i + 1] += made.edgeBegin[i];
  made.edgeList.resize(made.edgeBegin.back());
  std::vector<uint32_t> next(made.edgeBegin.begin(), made.edgeBegin.end() - 1);
  for (uint32_t node = 0; node < count; ++node)
    for (const PlacementInput &input : problem.inputs(node))
      made.edgeList[next[input.node]++] = {node, input.result,
                                           double(input.bytes)};
  for (const Device &device : problem.devices->devices())
    made.speeds.push_back(table.speedOf(device));
  return made;
}

const LinkSpeed &CostModel::link(uint16_t from, uint16_t to) const {
  auto [entry, isNew] = links.try_emplace(linkKey(from, to));
  if (isNew)
    entry->second =
        table.speedBetween((*problem.devices)[from], (*problem.devices)[to]);
  return entry->second;
}

double CostModel::busySeconds(uint32_t node, uint16_t device) const {
  const Prepared &made = prepare();
  const OpWork &work = made.work[node];
  if (!work.isKernel)
    return 0;
  const DeviceSpeed &speed = made.speeds[device];
  return speed.launchSeconds +
         std::max(work.flops / speed.flops, work.bytes / speed.bytesPerSecond);
}

double CostModel::linkSeconds(uint16_t from, uint16_t to, double bytes) const {
  return bytes / link(from, to).bytesPerSecond;
}

double CostModel::transferSeconds(uint16_t from, uint16_t to,
                                  double bytes) const {
  return link(from, to).latencySeconds + linkSeconds(from, to, bytes);
}

bool CostModel::isEverywhere(uint32_t node) const {
  return prepare().everywhere[node];
}

ArrayRef<CostModel::Edge> CostModel::edges(uint32_t node) const {
  const Prepared &made = prepare();
  return ArrayRef(made.edgeList)
      .slice(made.edgeBegin[node],
             made.edgeBegin[node + 1] - made.edgeBegin[node]);
}

ArrayRef<CostModel::Range> CostModel::graphs() const {
  return prepare().graphs;
}

double CostModel::stepSeconds(const GroupDevices &devices) const {
  double seconds = 0;
  for (const Range &range : graphs())
    if (range.isStep)
      seconds += StepSimulation(problem, *this, devices, range).run();
  return seconds;
}

} // namespace graphc
