// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/ClusterRun.h"

#include "runtime/base/StopSignal.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/session/RecoverableRun.h"
#include "runtime/state/ChooseGraph.h"
#include "tools/graphc-run/Run.h"
#include "tools/graphc-run/cluster/ClusterTarget.h"
#include "tools/graphc-run/train/TrainDriver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>
#include <utility>

namespace graphc::run {

using namespace runtime;

namespace {

/// The workers that have instances of the graph, or of any where none is named.
std::set<uint32_t> workersOf(const Model &plan, const std::string &graph) {
  std::set<uint32_t> workers;
  for (const format::Graph *candidate : *plan.index().graphs())
    if (candidate->instance() &&
        (graph.empty() || sourceName(*candidate) == graph))
      workers.insert(candidate->instance()->worker());
  return workers;
}

/// The worker that TF_CONFIG names for this process; nothing: it names none.
StatusOr<std::optional<uint32_t>> workerOfEnvironment() {
  const char *text = std::getenv("TF_CONFIG");
  std::optional<uint32_t> worker;
  if (!text || !*text)
    return worker;
  GRAPHC_ASSIGN_OR_RETURN(ClusterRole role, parseTfConfig(text));
  bool hasChief = false;
  for (const ClusterTask &task : role.cluster.tasks())
    hasChief |= task.job == "chief";
  if (role.job == "chief")
    worker = 0;
  else if (role.job == "worker")
    worker = role.index + (hasChief ? 1 : 0);
  return worker;
}

/// An evaluator is no worker: it would train as one.
Status refuseEvaluator() {
  const char *text = std::getenv("TF_CONFIG");
  if (!text || !*text)
    return Status::ok();
  StatusOr<ClusterRole> role = parseTfConfig(text);
  if (!role.isOk() || !role->isEvaluator)
    return Status::ok();
  return Status(
      StatusCode::Unimplemented,
      "TF_CONFIG makes this process an evaluator, which is no worker; "
      "'graphc-run train MODEL --graph=NAME --train-dir=DIR' evaluates the "
      "checkpoints of a training");
}

struct Clients {
  std::vector<std::optional<uint32_t>> workers; ///< one client each
};

StatusOr<Clients> chooseClients(const Model &plan, const RunOptions &options) {
  const ClusterFlags &flags = options.cluster;
  GRAPHC_TRY(refuseEvaluator());
  std::set<uint32_t> workers = workersOf(plan, options.graph);
  if (flags.worker.empty() && !workers.empty() && flags.spawn.empty() &&
      flags.localCluster.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(std::optional<uint32_t> worker,
                            workerOfEnvironment());
    return Clients{{worker}};
  }
  bool isAll = flags.worker == "all" || flags.worker.empty();
  if (isAll && !workers.empty())
    return Clients{{workers.begin(), workers.end()}};
  if (isAll)
    return Clients{{std::nullopt}};
  return Clients{{static_cast<uint32_t>(std::stoul(flags.worker))}};
}

/// The options of one of several clients: outputs must not meet.
RunOptions optionsOfWorker(const RunOptions &options, uint32_t worker,
                           bool isFirst) {
  RunOptions own = options;
  std::string name = "worker-" + std::to_string(worker);
  own.label = "worker " + std::to_string(worker) + ": ";
  own.saveFile.clear(); // once, when all have ended
  if (isFirst)
    return own;
  if (!own.outDir.empty())
    own.outDir += "/" + name;
  if (!own.jsonFile.empty())
    own.jsonFile += "." + name;
  own.summaries.reset();
  own.showsProgress = false;
  own.loadFile.clear();
  own.checkpointFile.clear();
  own.checkpointEvery = 0;
  return own;
}

/// A client's way from connecting to the last output.
class Client {
public:
  Client(std::shared_ptr<const Model> plan, ClusterPlace &place,
         RunOptions given, std::optional<uint32_t> worker, bool isChief,
         StartBarrier *barrier)
      : options(std::move(given)), worker(worker), start(barrier),
        recoverable(
            [this, plan = std::move(plan), &place,
             isChief]() -> StatusOr<std::unique_ptr<Session>> {
              target.reset(); // its session is closed
              GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ClusterSession> session,
                                      openClusterSession(plan, place, options,
                                                         this->worker,
                                                         isChief));
              cluster = session.get();
              return std::unique_ptr<Session>(std::move(session));
            },
            clusterCheckpoints(options, place, isChief, start)) {}

  void run() {
    Status status =
        recoverable.execute([this](Session &, CheckpointedRun &run) -> Status {
          target = makeClusterTarget(*cluster, run, options, worker);
          GRAPHC_ASSIGN_OR_RETURN(exitCode, graphc::run::run(*target, options));
          return Status::ok();
        });
    start.giveUp();
    if (status.isOk())
      return;
    exitCode = stopRequested() ? kExitInterrupted : kExitFailure;
    failure = status;
  }

  int exitCode = 0;
  Status failure;
  std::unique_ptr<RunTarget> target; ///< of the last attempt that was opened

private:
  RunOptions options;
  std::optional<uint32_t> worker;
  StartBarrier::Pass start;
  ClusterSession *cluster = nullptr; ///< owned by `recoverable`
  RecoverableRun recoverable;
};

void printFailure(const Client &client, const std::string &label) {
  if (!client.failure.isOk())
    printError(label + statusCodeName(client.failure.code()) + ": " +
               client.failure.message());
}

bool isChiefsClient(const RunOptions &options, std::optional<uint32_t> worker) {
  return options.cluster.isChief.value_or(worker.value_or(0) == 0);
}

int runOne(std::shared_ptr<const Model> plan, ClusterPlace &place,
           const RunOptions &options, std::optional<uint32_t> worker) {
  bool isChief = isChiefsClient(options, worker);
  Client client(std::move(plan), place, options, worker, isChief, nullptr);
  client.run();
  printFailure(client, "");
  return client.exitCode;
}

/// One thread per worker, as if each had a process of its own.
int runAll(std::shared_ptr<const Model> plan, ClusterPlace &place,
           const RunOptions &options, const Clients &clients) {
  StartBarrier barrier(clients.workers.size());
  std::vector<std::unique_ptr<Client>> all;
  std::vector<std::string> labels;
  for (std::optional<uint32_t> worker : clients.workers) {
    RunOptions own = optionsOfWorker(options, *worker, all.empty());
    labels.push_back(own.label);
    all.push_back(std::make_unique<Client>(plan, place, std::move(own), worker,
                                           all.empty(), &barrier));
  }
  std::vector<std::thread> threads;
  for (size_t i = 1; i < all.size(); ++i)
    threads.emplace_back([client = all[i].get()] { client->run(); });
  all[0]->run();
  for (std::thread &thread : threads)
    thread.join();
  int exitCode = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    printFailure(*all[i], labels[i]);
    if (exitCode == 0)
      exitCode = all[i]->exitCode;
  }
  uint64_t lateGradients = 0; // each knows of all until it ended
  for (const auto &client : all)
    if (client->target)
      lateGradients = std::max(lateGradients, client->target->lateGradients());
  if (!options.isQuiet)
    printLateGradients(lateGradients);
  if (exitCode == 0 && !options.saveFile.empty()) {
    Status saved = all[0]->target->run().save(options.saveFile);
    if (!saved.isOk()) {
      printError(saved.message());
      exitCode = kExitFailure;
    }
  }
  return exitCode;
}

} // namespace

StatusOr<int> runOnCluster(const RunOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan,
                          Model::open(options.model));
  catchStopSignals(); // before anything is started that must be ended
  StatusOr<std::unique_ptr<ClusterPlace>> opened = openPlace(options);
  if (!opened.isOk() && stopRequested()) {
    printError(opened.status().message());
    return kExitInterrupted;
  }
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ClusterPlace> place,
                          std::move(opened));
  // Once, for all clients.
  GRAPHC_ASSIGN_OR_RETURN(
      plan, takePlanVariant(std::move(plan), place->cluster().workers()));
  GRAPHC_ASSIGN_OR_RETURN(plan,
                          takeVariant(std::move(plan), options.virtualGpus));
  GRAPHC_ASSIGN_OR_RETURN(Clients clients, chooseClients(*plan, options));
  bool isChief =
      clients.workers.size() > 1 || isChiefsClient(options, clients.workers[0]);
  if (options.training && isChief)
    GRAPHC_TRY(options.training->openStore(options));
  int exitCode = clients.workers.size() == 1
                     ? runOne(plan, *place, options, clients.workers[0])
                     : runAll(plan, *place, options, clients);
  std::string deaths = exitCode == 0 ? "" : place->deaths();
  if (!deaths.empty())
    std::fprintf(stderr, "graphc-run: %s\n", deaths.c_str());
  return exitCode;
}

} // namespace graphc::run
