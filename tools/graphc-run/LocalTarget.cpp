// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run in this process.
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/session/LocalSession.h"
#include "runtime/summary/SummaryWriter.h"
#include "tools/flags/OpenPlan.h"
#include "tools/graphc-run/RunTarget.h"
#include "tools/graphc-run/TraceFile.h"
#include "tools/graphc-run/monitor/Console.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <cmath>
#include <cstdio>
#include <map>

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
  session.isProfiled = options.isProfiled;
  session.firstTraced = options.firstTraced;
  session.lastTraced = options.lastTraced;
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

/// The instructions of the graph, what each took per step and of the whole.
void printProfile(const LocalSession &session, const format::Graph &graph,
                  int64_t steps) {
  std::vector<LocalSession::InstructionTime> times =
      session.profile(graph.name()->string_view());
  double sum = 0;
  for (const LocalSession::InstructionTime &time : times)
    sum += time.seconds;
  std::fprintf(stderr, "%10s %6s  instruction\n", "us/step", "%");
  double perStep = steps > 1 ? 1e6 / static_cast<double>(steps - 1) : 0;
  const format::Program *program = nullptr;
  for (const LocalSession::InstructionTime &time : times) {
    if (graph.programs()->size() > 1 && time.program != program)
      std::fprintf(stderr, "%s:\n",
                   std::string(deviceOf(session.model().index(), *time.program))
                       .c_str());
    program = time.program;
    const auto *name = time.instruction->name();
    std::fprintf(stderr, "%10.1f %6.1f  #%u %s\n", time.seconds * perStep,
                 sum > 0 ? 100 * time.seconds / sum : 0, time.number,
                 name ? name->c_str() : "");
  }
  std::fprintf(stderr, "%10.1f %6.1f  all\n", sum * perStep, 100.0);
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
        isProfiled(options.isProfiled), traceFile(options.traceFile) {}

  Session &session() override { return *local; }
  CheckpointedRun &run() override { return steps; }
  int threads() const override { return local->threads(); }

  void printMore(const format::Graph &graph, int64_t count) const override {
    if (isProfiled && traceFile.empty())
      printProfile(*local, graph, count);
  }

  Status writeMore(const format::Graph &graph) const override {
    const StepTimeline *timeline =
        traceFile.empty() ? nullptr
                          : local->timeline(graph.name()->string_view());
    return timeline ? writeTrace(traceFile, local->model(), graph, *timeline)
                    : Status::ok();
  }

  std::vector<NodeTime> times(const format::Graph &graph,
                              int64_t count) const override {
    return isProfiled && count > 1 ? nodeTimes(*local, graph, count)
                                   : std::vector<NodeTime>();
  }

private:
  std::unique_ptr<LocalSession> local;
  CheckpointedRun steps;
  bool isProfiled;
  std::string traceFile;
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
