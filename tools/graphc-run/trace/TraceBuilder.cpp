// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/trace/TraceBuilder.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace graphc::run {

using namespace runtime;

namespace {

using Kind = TimelineEvent::Kind;

const char *categoryOf(const format::Instruction &instruction) {
  switch (instruction.action_type()) {
  case format::Action::Dispatch:
    return "kernel";
  case format::Action::HostCall:
    return nextBatchOf(instruction) ? "input" : "host";
  case format::Action::Send:
  case format::Action::Recv:
  case format::Action::AllReduce:
    return "transfer";
  default:
    return "copy";
  }
}

std::string nameOf(const format::Instruction &instruction) {
  return instruction.name() ? instruction.name()->str()
                            : format::EnumNameAction(instruction.action_type());
}

std::string microsText(int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us",
                static_cast<double>(nanos) * 1e-3);
  return text;
}

class RunBuilder {
public:
  RunBuilder(TraceData &trace, const Model &model, const format::Graph &graph)
      : trace(trace), model(model), graph(graph) {}

  void add(const TaskTimeline &task);
  void connect();

private:
  /// A place where a value leaves or reaches a program, in a step.
  struct EdgeEnd {
    uint32_t edge;
    uint64_t step;
    uint32_t slice;
    auto key() const { return std::tie(edge, step); }
  };
  struct Arrival {
    uint32_t edge;
    uint64_t step;
    int64_t at;
    uint32_t process;
  };

  void addProgram(uint32_t process, uint32_t program,
                  const std::vector<TimelineEvent> &events);
  void addInstruction(uint32_t track, const format::Program &program,
                      const TimelineEvent &event);
  void addSteps(uint32_t process, const std::vector<TimelineEvent> &events);
  void addBatches(uint32_t process, const std::vector<TimelineEvent> &events);
  void addTransfers();
  uint32_t linkTrack(uint32_t from, uint32_t to, int64_t begin);

  TraceData &trace;
  const Model &model;
  const format::Graph &graph;
  std::vector<EdgeEnd> sends, receives;
  std::vector<Arrival> arrivals;
  std::map<uint32_t, uint32_t> processOf; ///< of programs with slices
  struct Lane {
    uint32_t track;
    int64_t end; ///< of its last slice
  };
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Lane>> links;
};

void RunBuilder::addInstruction(uint32_t track, const format::Program &program,
                                const TimelineEvent &event) {
  const format::Instruction &instruction =
      *program.instructions()->Get(event.number);
  bool isWait = event.kind == Kind::Wait;
  TraceSlice slice;
  slice.track = track;
  slice.name = trace.nameOf((isWait ? "wait for " : "") + nameOf(instruction));
  slice.category = isWait ? "wait" : categoryOf(instruction);
  slice.begin = event.beginNanos;
  slice.end = event.endNanos;
  slice.step = event.step;
  slice.instruction = event.number;
  if (const auto *location = instruction.location())
    slice.line = location->line();
  EdgeUses uses = edgesOf(instruction);
  for (uint32_t i = 0; uses.edges && i < uses.edges->size(); ++i)
    slice.bytes += graph.edges()->Get(uses.edges->Get(i))->size();
  uint32_t index = trace.add(slice);
  for (uint32_t i = 0; !isWait && uses.edges && i < uses.edges->size(); ++i)
    (uses.isSend ? sends : receives)
        .push_back({uses.edges->Get(i), event.step, index});
}

void RunBuilder::addProgram(uint32_t process, uint32_t number,
                            const std::vector<TimelineEvent> &events) {
  const format::Program &program = *graph.programs()->Get(number);
  std::string name(deviceOf(model.index(), program));
  if (graph.instance()) // several clients' runs have tracks in one task
    name += " " + graph.name()->str();
  uint32_t track = trace.addTrack(process, std::move(name));
  processOf[number] = process;
  for (const TimelineEvent &event : events)
    if (event.kind == Kind::Arrival)
      arrivals.push_back({event.number, event.step, event.beginNanos, process});
    else
      addInstruction(track, program, event);
}

void RunBuilder::addSteps(uint32_t process,
                          const std::vector<TimelineEvent> &events) {
  if (events.empty())
    return;
  std::string name = "steps";
  if (graph.instance())
    name += " of " + graph.name()->str();
  uint32_t track = trace.addTrack(process, std::move(name));
  for (const TimelineEvent &event : events) {
    TraceSlice slice;
    slice.track = track;
    bool isStep = event.kind == Kind::Step;
    slice.name = trace.nameOf(isStep ? "step" : "wait before the step");
    slice.category = isStep ? "step" : "wait";
    slice.begin = event.beginNanos;
    slice.end = event.endNanos;
    slice.step = event.step;
    trace.add(slice);
  }
}

void RunBuilder::addBatches(uint32_t process,
                            const std::vector<TimelineEvent> &events) {
  std::map<uint32_t, uint32_t> tracks; ///< by dataset
  for (const TimelineEvent &event : events) {
    std::string dataset =
        model.index().datasets()->Get(event.number)->name()->str();
    auto track = tracks.find(event.number);
    if (track == tracks.end())
      track = tracks
                  .emplace(event.number,
                           trace.addTrack(process, "input " + dataset))
                  .first;
    TraceSlice slice;
    slice.track = track->second;
    slice.name = trace.nameOf("batch of " + dataset);
    slice.category = "input";
    slice.begin = event.beginNanos;
    slice.end = event.endNanos;
    trace.add(slice);
  }
}

void RunBuilder::add(const TaskTimeline &task) {
  uint32_t process = trace.addProcess(
      task.name.empty() ? "graph " + graph.name()->str() : task.name);
  std::string note =
      task.name.empty() ? "" : "clock within " + microsText(task.errorNanos);
  if (!task.lost.isOk())
    note = "not all is known: " + task.lost.message();
  if (task.dropped > 0)
    note += ", " + std::to_string(task.dropped) + " events left out";
  trace.processes[process].note = note;
  if (!task.name.empty() && task.lost.isOk()) {
    trace.processes[process].errorNanos = task.errorNanos;
    trace.processes[process].offsetNanos = task.offsetNanos;
  }
  uint32_t programs = graph.programs()->size();
  if (task.tracks.size() > programs)
    addSteps(process, task.tracks[programs]);
  for (uint32_t i = 0; i < programs && i < task.tracks.size(); ++i)
    if (task.name.empty() || !task.tracks[i].empty())
      addProgram(process, i, task.tracks[i]);
  if (task.tracks.size() > programs + 1)
    addBatches(process, task.tracks[programs + 1]);
}

/// A track on which the link's last slice has ended.
uint32_t RunBuilder::linkTrack(uint32_t from, uint32_t to, int64_t begin) {
  std::vector<Lane> &lanes = links[{from, to}];
  for (Lane &lane : lanes)
    if (lane.end <= begin)
      return lane.track;
  std::string name = "from " + trace.processes[from].name;
  if (!lanes.empty())
    name += " (" + std::to_string(lanes.size() + 1) + ")";
  lanes.push_back({trace.addTrack(to, std::move(name)), begin});
  return lanes.back().track;
}

/// Values on their way between tasks, from the send to the arrival.
void RunBuilder::addTransfers() {
  std::vector<TraceSlice> slices;
  std::vector<std::pair<uint32_t, uint32_t>> ways;
  for (const Arrival &arrival : arrivals) {
    auto send = std::ranges::lower_bound(
        sends, std::tie(arrival.edge, arrival.step), {}, &EdgeEnd::key);
    if (send == sends.end() ||
        send->key() != std::tie(arrival.edge, arrival.step))
      continue;
    const format::Edge &edge = *graph.edges()->Get(arrival.edge);
    TraceSlice slice;
    slice.name = trace.nameOf(edge.name() ? edge.name()->str() : "value");
    slice.category = "link";
    slice.begin = std::min(trace.slices[send->slice].begin, arrival.at);
    slice.end = arrival.at;
    slice.step = arrival.step;
    slice.bytes = edge.size();
    slices.push_back(slice);
    ways.emplace_back(processOf[edge.source()], arrival.process);
  }
  std::vector<uint32_t> order(slices.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, {}, [&](uint32_t i) { return slices[i].begin; });
  for (uint32_t i : order) {
    auto [from, to] = ways[i];
    slices[i].track = linkTrack(from, to, slices[i].begin);
    for (Lane &lane : links[{from, to}])
      if (lane.track == slices[i].track)
        lane.end = slices[i].end;
    trace.add(slices[i]);
  }
}

/// When all tasks are added.
void RunBuilder::connect() {
  std::ranges::sort(sends, {}, &EdgeEnd::key);
  std::ranges::sort(receives, {}, &EdgeEnd::key);
  for (const EdgeEnd &receive : receives) {
    auto send =
        std::ranges::lower_bound(sends, receive.key(), {}, &EdgeEnd::key);
    if (send != sends.end() && send->key() == receive.key())
      trace.arrows.push_back(
          {send->slice, receive.slice, receive.edge, receive.step});
  }
  addTransfers();
}

} // namespace

void addRun(TraceData &trace, const Model &model, const format::Graph &graph,
            const RunTimeline &timeline) {
  RunBuilder builder(trace, model, graph);
  for (const TaskTimeline &task : timeline.tasks)
    builder.add(task);
  builder.connect();
}

} // namespace graphc::run
