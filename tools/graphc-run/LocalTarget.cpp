// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run in this process.
#include "report/Report.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/session/LocalSession.h"
#include "runtime/summary/SummaryWriter.h"
#include "tools/flags/OpenPlan.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/debug/ValueDebugger.h"
#include "tools/graphc-run/monitor/Console.h"
#include "tools/graphc-run/profile/ProfileJson.h"
#include "tools/graphc-run/profile/ProfileText.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace graphc::run {

using namespace runtime;

namespace {

SessionOptions sessionOptions(const RunOptions &options) {
  SessionOptions session;
  session.threads = options.threads;
  session.seed = options.seed;
  session.cpuLevel = options.cpuLevel;
  session.numerics.policy = options.nan;
  session.numerics.checkAll = options.checkNumerics;
  // A trace alone needs no sums, so that steps beside it look at no clock.
  session.isProfiled =
      options.isProfiled &&
      (options.traceFile.empty() || options.summary.isUsed() ||
       !options.profile.views.empty() || !options.jsonFile.empty());
  session.traced = options.traced;
  session.observer = options.debugger.get();
  session.virtualGpus = options.virtualGpus;
  session.shareGpus = options.shareGpus;
  session.deadlineNanos = options.cluster.deadlineNanos();
  session.note = [&options](const std::string &text) {
    printNote(options, text);
  };
  session.numerics.warn = [](const std::string &text) {
    console::printLine(stderr, "graphc-run: warning: " + text);
  };
  return session;
}

std::vector<InstructionSpan> spansOf(const StepTimeline &timeline) {
  std::vector<InstructionSpan> spans;
  for (uint32_t program = 0; program < timeline.programs(); ++program)
    for (const StepTimeline::Event &event : timeline.events(program))
      if (event.kind == StepTimeline::Kind::Run)
        spans.push_back({{program, event.number},
                         event.step,
                         event.beginNanos,
                         event.endNanos});
  return spans;
}

/// Programs that the host executes wait for its threads where there are fewer.
ThreadGroups threadGroupsOf(const Model &model, const format::Graph &graph,
                            bool isVirtual, int threads) {
  ThreadGroups groups;
  int onHost = 0;
  for (const format::Program *program : *graph.programs()) {
    bool isHost =
        isVirtual || report::isCpuDevice(deviceOf(model.index(), *program));
    groups.push_back(isHost ? 0 : kOwnThreads);
    onHost += isHost;
  }
  if (onHost <= threads)
    groups.assign(groups.size(), kOwnThreads);
  return groups;
}

/// The times as if the instructions of a device ran one after the other.
std::vector<NodeTime> nodeTimes(const LocalSession &session,
                                const format::Graph &graph, int64_t steps) {
  std::vector<NodeTime> times;
  std::map<const format::Program *, double> spent;
  double begin = wallSeconds();
  for (const auto &time : session.profile(graph.name()->string_view())) {
    NodeTime node;
    if (const auto *name = time.instruction->name())
      node.name = name->str();
    node.device = deviceOf(session.model().index(), *time.program);
    double seconds = time.seconds / static_cast<double>(steps - 1);
    double &start = spent[time.program];
    node.startMicros = static_cast<int64_t>((begin + start) * 1e6);
    node.micros = static_cast<int64_t>(std::ceil(seconds * 1e6));
    start += seconds;
    forEachWrite(*time.instruction, [&](uint32_t slot) {
      node.bytes += time.program->slots()->Get(slot)->size();
    });
    times.push_back(std::move(node));
  }
  return times;
}

class LocalTarget final : public RunTarget {
public:
  LocalTarget(std::unique_ptr<LocalSession> opened, const RunOptions &options)
      : local(std::move(opened)), steps(*local, checkpointOptions(options)),
        options(options) {}

  Session &session() override { return *local; }
  CheckpointedRun &run() override { return steps; }
  int threads() const override { return local->threads(); }

  void printMore(const format::Graph &graph, int64_t count) const override {
    if (options.isProfiled &&
        (options.traceFile.empty() || !options.profile.views.empty()))
      std::fputs(
          profileText(RunProfile(measured(graph, count)), options.profile)
              .c_str(),
          stderr);
  }

  StatusOr<RunTimeline> timeline(const format::Graph &graph) override {
    RunTimeline run;
    run.graph = graph.name()->str();
    const StepTimeline *recorded = local->timeline(run.graph);
    if (!recorded)
      return run;
    TaskTimeline &here = run.tasks.emplace_back();
    for (uint32_t track = 0; track <= recorded->taskTrack(); ++track)
      here.tracks.emplace_back(recorded->events(track).begin(),
                               recorded->events(track).end());
    here.tracks.push_back(recorded->batches());
    here.dropped = recorded->droppedEvents();
    return run;
  }

  void addTo(const format::Graph &graph, int64_t count,
             nlohmann::ordered_json &json) const override {
    if (options.isProfiled)
      json["profile"] = profileJson(RunProfile(measured(graph, count)));
  }

  std::vector<NodeTime> times(const format::Graph &graph,
                              int64_t count) const override {
    return options.isProfiled && count > 1 ? nodeTimes(*local, graph, count)
                                           : std::vector<NodeTime>();
  }

private:
  /// The measurements of the run of `count` steps; limits are measured when they
  /// are first asked for.
  const ProfileData &measured(const format::Graph &graph, int64_t count) const {
    if (data.graph == &graph)
      return data;
    data.model = &local->model();
    data.graph = &graph;
    data.steps = std::max<int64_t>(count - 1, 0);
    data.threads = local->threads();
    data.limits = measureLimits(data.threads, local->cpuLevel());
    data.threadGroups = threadGroupsOf(local->model(), graph,
                                       options.virtualGpus, data.threads);
    std::map<const format::Program *, uint32_t> numbers;
    for (uint32_t program = 0; program < graph.programs()->size(); ++program)
      numbers[graph.programs()->Get(program)] = program;
    for (const auto &time : local->profile(graph.name()->string_view()))
      data.times.push_back({{numbers[time.program], time.number},
                            data.steps > 0
                                ? time.seconds / static_cast<double>(data.steps)
                                : 0});
    if (const auto *timeline = local->timeline(graph.name()->string_view()))
      data.spans = spansOf(*timeline);
    return data;
  }

  std::unique_ptr<LocalSession> local;
  CheckpointedRun steps;
  const RunOptions options;
  mutable ProfileData data; ///< see measured()
};

} // namespace

StatusOr<std::unique_ptr<RunTarget>>
openLocalTarget(const RunOptions &options) {
  if (options.training)
    GRAPHC_TRY(options.training->openStore(options));
  GRAPHC_ASSIGN_OR_RETURN(
      std::shared_ptr<const Model> plan,
      flags::openPlan(options, options.cluster.cluster, options.virtualGpus));
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<LocalSession> session,
      LocalSession::create(std::move(plan), sessionOptions(options)));
  if (options.logsDevices)
    for (const std::string &line : session->describeDevices())
      std::fprintf(stderr, "%s\n", line.c_str());
  return std::unique_ptr<RunTarget>(
      new LocalTarget(std::move(session), options));
}

} // namespace graphc::run
