// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run in this process.
#include "runtime/base/Suggest.h"
#include "runtime/session/Session.h"
#include "runtime/state/GraphPorts.h"
#include "tools/flags/OpenPlan.h"
#include "tools/graphc-run/RunTarget.h"

#include <algorithm>
#include <cstdio>

namespace graphc::run {

using namespace runtime;

namespace {

SessionOptions sessionOptions(const Options &options) {
  SessionOptions session;
  session.threads = options.threads;
  session.seed = options.seed;
  session.cpuLevel = options.cpuLevel;
  session.numerics.policy = options.nan;
  session.numerics.checkAll = options.checkNumerics;
  session.isProfiled = options.isProfiled;
  session.virtualGpus = options.virtualGpus;
  session.shareGpus = options.shareGpus;
  session.deadlineNanos = options.cluster.deadlineNanos();
  if (!options.isQuiet)
    session.note = [](const std::string &text) {
      std::fprintf(stderr, "graphc-run: note: %s\n", text.c_str());
    };
  session.numerics.warn = [](const std::string &text) {
    std::fprintf(stderr, "graphc-run: warning: %s\n", text.c_str());
  };
  return session;
}

/// The instructions of the graph, what each took per step and of the whole.
void printProfile(const Session &session, const format::Graph &graph,
                  int64_t steps) {
  std::vector<Session::InstructionTime> times =
      session.profile(graph.name()->string_view());
  double sum = 0;
  for (const Session::InstructionTime &time : times)
    sum += time.seconds;
  std::fprintf(stderr, "%10s %6s  instruction\n", "us/step", "%");
  double perStep = steps > 1 ? 1e6 / static_cast<double>(steps - 1) : 0;
  const format::Program *program = nullptr;
  for (const Session::InstructionTime &time : times) {
    if (graph.programs()->size() > 1 && time.program != program)
      std::fprintf(stderr, "%s:\n", time.program->device()->c_str());
    program = time.program;
    const auto *name = time.instruction->name();
    std::fprintf(stderr, "%10.1f %6.1f  #%u %s\n", time.seconds * perStep,
                 sum > 0 ? 100 * time.seconds / sum : 0, time.number,
                 name ? name->c_str() : "");
  }
  std::fprintf(stderr, "%10.1f %6.1f  all\n", sum * perStep, 100.0);
}

class LocalTarget final : public RunTarget {
public:
  LocalTarget(std::unique_ptr<Session> session, bool isProfiled)
      : session(std::move(session)), isProfiled(isProfiled) {}

  const Model &model() const override { return session->model(); }

  StatusOr<const format::Graph *>
  chooseGraph(const std::string &name) const override {
    if (!name.empty())
      return findGraph(model(), name);
    std::vector<std::string> graphs = userGraphs(model());
    if (graphs.size() == 1)
      return findGraph(model(), graphs[0]);
    if (graphs.empty())
      return notFound("'" + model().name() + "' has no graph to run");
    return invalidArgument("'" + model().name() + "' has the graphs " +
                           quotedList(graphs) +
                           "; choose one with --graph=" + graphs[0]);
  }

  Status checkRequest(const RunRequest &request) const override {
    return session->checkRequest(request);
  }

  StatusOr<BoundData> bindDataset(const std::string &name,
                                  const std::string &files) override {
    GRAPHC_TRY(session->bindDataset(name, files));
    const auto &datasets = *model().index().datasets();
    uint32_t index = 0;
    while (datasets.Get(index)->name()->string_view() != name)
      ++index; // bindDataset found it
    const DataSource &source = *session->dataset(index);
    return BoundData{source.examples(), source.batchesPerEpoch(),
                     source.droppedPerEpoch()};
  }

  Status initialize(const std::string &) override {
    madeFirstValues = true;
    return session->initialize();
  }
  bool hasFirstValues() const override { return madeFirstValues; }
  Status load(const std::string &path) override { return session->load(path); }
  Status save(const std::string &path) override { return session->save(path); }

  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep) override {
    StatusOr<RunOutcome> outcome = session->runSteps(request, onStep);
    if (outcome.status().code() != StatusCode::DeadlineExceeded)
      return outcome;
    // As a run on a cluster says it.
    return outcome.status().annotate(
        statusCodeName(StatusCode::DeadlineExceeded));
  }

  GraphPosition position(const std::string &graph) const override {
    return session->position(graph);
  }
  int threads() const override { return session->threads(); }

  void printMore(const format::Graph &graph, int64_t steps) const override {
    if (isProfiled)
      printProfile(*session, graph, steps);
  }

private:
  std::unique_ptr<Session> session;
  bool isProfiled;
  bool madeFirstValues = false;
};

} // namespace

StatusOr<std::unique_ptr<RunTarget>> openLocalTarget(const Options &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan,
                          flags::openPlan(options, options.cluster.cluster));
  GRAPHC_ASSIGN_OR_RETURN(
      std::unique_ptr<Session> session,
      Session::create(std::move(plan), sessionOptions(options)));
  if (options.logsDevices)
    for (const std::string &line : session->describeGpus())
      std::fprintf(stderr, "%s\n", line.c_str());
  return std::unique_ptr<RunTarget>(
      new LocalTarget(std::move(session), options.isProfiled));
}

} // namespace graphc::run
