// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/random/ProgramRun.h"

#include "runtime/base/DeviceName.h"
#include "runtime/format/PlanSlice.h"
#include "runtime/session/LocalSession.h"
#include "runtime/sim/Simulation.h"

using namespace graphc::runtime;

namespace graphc::random {
namespace {

class LocalRun final : public ProgramRun {
public:
  explicit LocalRun(std::unique_ptr<LocalSession> session)
      : session(std::move(session)) {}

  Status bindDataset(const std::string &name,
                     const std::string &files) override {
    return session->bindDataset(name, files).status();
  }
  Status initialize() override { return session->initialize(); }
  StatusOr<std::vector<HostTensor>> run(const RunRequest &request) override {
    return session->run(request);
  }
  StatusOr<HostTensor> readVariable(const std::string &name) override {
    return session->readVariable(name);
  }

private:
  std::unique_ptr<LocalSession> session;
};

StatusOr<std::unique_ptr<ProgramRun>>
openLocal(std::shared_ptr<const Model> model, const CheckOptions &options) {
  SessionOptions how;
  how.threads = options.threads;
  how.seed = options.seed;
  how.virtualGpus = true;
  how.numerics.policy = NanPolicy::Ignore;
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<LocalSession> session,
                          LocalSession::create(std::move(model), how));
  return std::unique_ptr<ProgramRun>(new LocalRun(std::move(session)));
}

/// A call takes so long in simulated time at the most.
constexpr int64_t kCallNanos = 130'000'000'000;

class SimulatedRun final : public ProgramRun {
public:
  explicit SimulatedRun(SimulationOptions options)
      : simulation(std::move(options)) {}

  Status open(std::shared_ptr<const Model> model, uint64_t seed) {
    ClientOptions how;
    how.incarnation = 1;
    how.seed = seed;
    how.nanPolicy = static_cast<uint32_t>(NanPolicy::Ignore);
    how.virtualGpus = true;
    GRAPHC_ASSIGN_OR_RETURN(client,
                            simulation.addClient(std::move(model), how));
    client->beginOpen();
    return finish("open");
  }

  Status bindDataset(const std::string &name,
                     const std::string &files) override {
    client->beginBind(name, files);
    return finish("bind");
  }
  Status initialize() override {
    client->beginInitialize();
    return finish("initialize");
  }
  StatusOr<std::vector<HostTensor>> run(const RunRequest &request) override {
    std::vector<HostTensor> fetched;
    ClientMachine::Run run;
    run.graph = request.graph;
    run.feeds = request.feeds;
    client->beginRun(run, [&](uint64_t, auto fetches) {
      for (size_t i = 0; i < fetches.size(); ++i)
        fetched.push_back({toTensorType(*client->fetches()[i]->type()),
                           {fetches[i].begin(), fetches[i].end()}});
      simulation.noteSteps(++steps);
      return true;
    });
    GRAPHC_TRY(finish("run"));
    return fetched;
  }
  StatusOr<HostTensor> readVariable(const std::string &name) override {
    client->beginRead(name);
    GRAPHC_TRY(finish("read"));
    return client->value();
  }

private:
  Status finish(const char *call) {
    simulation.wake(client);
    if (!simulation.runUntil([&] { return !client->isBusy(); }, kCallNanos))
      return internalError(std::string("'") + call + "' hangs");
    GRAPHC_TRY(client->result());
    if (!simulation.violations().empty())
      return internalError(simulation.violations().front());
    return Status::ok();
  }

  Simulation simulation;
  ClientMachine *client = nullptr;
  int64_t steps = 0;
};

StatusOr<std::unique_ptr<ProgramRun>>
openSimulated(std::shared_ptr<const Model> model, const CheckOptions &options) {
  std::vector<ClusterTask> tasks;
  for (const std::string &name : tasksOf(*model)) {
    GRAPHC_ASSIGN_OR_RETURN(DeviceName task, DeviceName::parse(name));
    tasks.push_back({*task.job, static_cast<uint32_t>(*task.task),
                     "simulated:" + std::to_string(tasks.size() + 1)});
  }
  SimulationOptions how;
  GRAPHC_ASSIGN_OR_RETURN(how.cluster, ClusterSpec::make(std::move(tasks)));
  if (options.faults > 0) {
    GRAPHC_ASSIGN_OR_RETURN(
        how.faults,
        FaultScript::parse("random " + std::to_string(options.faults) +
                               " mild within 50ms",
                           "faults", how.cluster));
  }
  how.seed = options.seed + 1;
  how.task.virtualGpus = true;
  auto target = std::make_unique<SimulatedRun>(std::move(how));
  GRAPHC_TRY(target->open(std::move(model), options.seed));
  return std::unique_ptr<ProgramRun>(std::move(target));
}

} // namespace

StatusOr<std::unique_ptr<ProgramRun>>
openProgram(std::shared_ptr<const Model> model, const CheckOptions &options) {
  return options.isCluster ? openSimulated(std::move(model), options)
                           : openLocal(std::move(model), options);
}

} // namespace graphc::random
