// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/pipeline/PipelineReport.h"

#include "dialects/tfir/OpWork.h"
#include "dialects/tfir/PipelineAttrs.h"
#include "lib/replication/pipeline/MicroBatchTurns.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// The part of a device in a pipeline.
struct Stage {
  size_t device;
  std::vector<double> turns;        ///< seconds that each keeps it busy
  SmallVector<Operation *> forward; ///< of the first micro-batch
  llvm::DenseSet<Attribute> variables;
  double bytes = 0; ///< of the variables
  double sent = 0;  ///< bytes to the next stage, for each micro-batch
};

class Report {
public:
  Report(GraphOp graph, const DeviceSet &devices, const CostTable &costs)
      : graph(graph), set(devices), table(costs), turns(graph),
        pipeline(*getPipeline(graph)) {}

  std::string text();

private:
  void findStages();
  void add(Operation *op);
  Stage *stageOf(Operation *op);
  double secondsOf(Operation *op, size_t device) const;
  double transferTo(size_t stage) const;
  double idleShare() const;
  void describe(raw_ostream &stream, size_t stage) const;

  GraphOp graph;
  const DeviceSet &set;
  const CostTable &table;
  MicroBatchTurns turns;
  PipelineSpec pipeline;
  std::vector<Stage> stages;
  llvm::DenseMap<Attribute, size_t> stageOn; ///< by device
};

double Report::secondsOf(Operation *op, size_t device) const {
  OpWork work = workOf(op);
  if (!work.isKernel)
    return 0;
  DeviceSpeed speed = table.speedOf(set[device]);
  return speed.launchSeconds +
         std::max(work.flops / speed.flops, work.bytes / speed.bytesPerSecond);
}

Stage *Report::stageOf(Operation *op) {
  auto found = stageOn.find(getAssignedDevice(op));
  return found == stageOn.end() ? nullptr : &stages[found->second];
}

/// The stages in order: the devices of ops of micro-batches, as these are first
/// met on the way forward.
void Report::findStages() {
  llvm::MapVector<Attribute, int64_t> first; // turn of the first micro-batch
  for (Operation &op : graph.getBlock()) {
    IntegerAttr tower = getTower(&op);
    std::optional<int64_t> slot = getSlot(&op);
    if (!tower || tower.getInt() != 0 || slot != 0)
      continue;
    first.insert({getAssignedDevice(&op), 0});
  }
  for (auto &[device, turn] : first) {
    std::optional<size_t> index =
        set.find(cast<DeviceAttr>(device).getDeviceName());
    if (!index)
      continue;
    stageOn[device] = stages.size();
    stages.push_back({*index, std::vector<double>(turns.last() + 1), {}, {}});
  }
}

void Report::add(Operation *op) {
  Stage *stage = stageOf(op);
  std::optional<int64_t> slot = getSlot(op);
  if (!stage)
    return;
  if (auto access = dyn_cast<VariableAccess>(op))
    for (FlatSymbolRefAttr name : access.getVariables())
      if (stage->variables.insert(name.getAttr()).second)
        if (auto variable =
                SymbolTable::lookupNearestSymbolFrom<VariableOp>(graph, name))
          stage->bytes +=
              static_cast<double>(bytesOf(variable.getTensorType()));
  if (!slot || *slot > turns.last())
    return;
  stage->turns[*slot] += secondsOf(op, stage->device);
  IntegerAttr tower = getTower(op);
  if (!tower || tower.getInt() != 0 || *slot != 0)
    return;
  stage->forward.push_back(op);
  for (Value result : op->getResults())
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          Stage *other = stageOf(user);
          return other && other > stage;
        }))
      stage->sent += static_cast<double>(bytesOf(result.getType()));
}

double Report::transferTo(size_t stage) const {
  LinkSpeed link = table.speedBetween(set[stages[stage - 1].device],
                                      set[stages[stage].device]);
  return link.latencySeconds + stages[stage - 1].sent / link.bytesPerSecond;
}

/// The part of the time in which a device does nothing, until the last turn of
/// the last of them, on average.
double Report::idleShare() const {
  int64_t microBatches = turns.count();
  auto count = static_cast<int64_t>(stages.size());
  bool trains = false;
  for (const Stage &stage : stages)
    for (int64_t turn = microBatches; turn < turns.last(); ++turn)
      trains |= stage.turns[turn] > 0;
  int64_t places = trains ? 2 * count : count;
  // By micro-batch and place on its way; each waits for the one before on its
  // way, and for the turn before on its device.
  std::vector<std::vector<double>> ends(microBatches,
                                        std::vector<double>(places, -1));
  std::vector<double> clock(count);
  std::vector<std::vector<std::pair<int64_t, int64_t>>> order(count);
  for (int64_t batch = 0; batch < microBatches; ++batch)
    for (int64_t place = 0; place < places; ++place)
      order[turns.stageOf(place)].push_back({batch, place});
  for (auto &list : order)
    llvm::sort(list, [&](auto a, auto b) {
      return turns.of(a.second, a.first) < turns.of(b.second, b.first);
    });
  std::vector<size_t> next(count);
  double busy = 0, end = 0;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (int64_t stage = 0; stage < count; ++stage)
      while (next[stage] < order[stage].size()) {
        auto [batch, place] = order[stage][next[stage]];
        double start = clock[stage];
        if (place) {
          if (ends[batch][place - 1] < 0)
            break;
          int64_t from = turns.stageOf(place - 1);
          double way = from == stage ? 0 : transferTo(std::max(from, stage));
          start = std::max(start, ends[batch][place - 1] + way);
        }
        double own = stages[stage].turns[turns.of(place, batch)];
        busy += own;
        clock[stage] = ends[batch][place] = start + own;
        end = std::max(end, clock[stage]);
        ++next[stage];
        isChanged = true;
      }
  }
  return end > 0 ? 1 - busy / (static_cast<double>(count) * end) : 0;
}

void Report::describe(raw_ostream &stream, size_t index) const {
  const Stage &stage = stages[index];
  auto nameOf = [](Operation *op) {
    StringRef name = getNodeName(op) ? getNodeName(op).getValue() : "";
    name.consume_front("tower_0/");
    return name;
  };
  double forward = stage.turns[0], all = 0;
  for (int64_t turn = 0; turn < turns.last(); ++turn)
    all += stage.turns[turn];
  double back = all / static_cast<double>(turns.count()) - forward;
  stream << "  stage " << index << " on " << set[stage.device].fullName << ": "
         << stage.forward.size() << " ops, '" << nameOf(stage.forward.front())
         << "' to '" << nameOf(stage.forward.back()) << "'; "
         << stage.variables.size() << " variables, "
         << llvm::formatv("{0:f1} KiB; forward {1:f1} us", stage.bytes / 1024,
                          forward * 1e6);
  if (back > forward * 1e-6)
    stream << llvm::formatv(", backward {0:f1} us", back * 1e6);
  stream << " for each micro-batch\n";
}

std::string Report::text() {
  findStages();
  for (Operation &op : graph.getBlock())
    add(&op);
  std::string text;
  llvm::raw_string_ostream stream(text);
  int64_t microBatches = turns.count();
  stream << "pipeline of graph '" << graph.getSymName()
         << "': " << pipeline.stages << " stages, " << microBatches
         << " micro-batches, schedule "
         << (pipeline.isOneFOneB ? "1f1b" : "gpipe") << "\n";
  if (stages.size() != static_cast<size_t>(pipeline.stages)) {
    stream << "  not all stages are on devices of their own: placement has "
              "moved ops\n";
    return text;
  }
  for (size_t stage = 0; stage < stages.size(); ++stage)
    describe(stream, stage);
  auto lost = static_cast<double>(pipeline.stages - 1);
  stream << "  idle: "
         << llvm::formatv("{0:f1} % by the bubbles, ({1} - 1) / ({2} + {1} - 1)"
                          "; {3:f1} % by the costs\n",
                          100 * lost /
                              (lost + static_cast<double>(microBatches)),
                          pipeline.stages, microBatches, 100 * idleShare());
  return text;
}

} // namespace

std::string describePipeline(GraphOp graph, const DeviceSet &devices,
                             const CostTable &costs) {
  return Report(graph, devices, costs).text();
}

} // namespace graphc
