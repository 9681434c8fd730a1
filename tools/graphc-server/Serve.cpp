// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-server/Serve.h"

#include "runtime/base/Clock.h"
#include "runtime/base/StopSignal.h"
#include "runtime/data/File.h"
#include "runtime/format/HostVariant.h"
#include "runtime/format/PlanVariants.h"
#include "runtime/protocol/PlanManifest.h"
#include "runtime/rpc/server/GrpcTask.h"
#include "tools/flags/MetricsFlag.h"
#include "tools/graphc-server/Place.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <set>

namespace graphc::server {

namespace {

using namespace graphc::runtime;

constexpr long kLookNanos = 50'000'000; ///< a signal ends the wait at once

std::atomic<bool> gStopAsked = false; // by a client

uint64_t randomIncarnation() {
  std::random_device random;
  uint64_t number = (uint64_t(random()) << 32) | random();
  return number ? number : 1;
}

/// Of plan variants, that for so many workers, in the variant that
/// is asked for.
StatusOr<std::string> digestOfPlan(std::shared_ptr<const Model> plan,
                                   uint32_t workers, bool onHost) {
  GRAPHC_ASSIGN_OR_RETURN(plan, takePlanVariant(std::move(plan), workers));
  GRAPHC_ASSIGN_OR_RETURN(plan, takeVariant(std::move(plan), onHost));
  GRAPHC_ASSIGN_OR_RETURN(std::string list, makePlanManifest(*plan));
  return allowDigest(list);
}

/// Of all variants.
StatusOr<std::set<std::string>> digestsOfFile(const std::string &path,
                                              uint32_t workers) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan, Model::open(path));
  std::set<std::string> digests;
  for (bool onHost : {false, true}) {
    GRAPHC_ASSIGN_OR_RETURN(std::string digest,
                            digestOfPlan(plan, workers, onHost));
    digests.insert(digest);
  }
  return digests;
}

/// Digests that --allow gives, directly or by a plan's file.
StatusOr<std::set<std::string>> digestsOf(const std::string &text,
                                          uint32_t workers) {
  constexpr size_t kDigits = 64;
  if (text.size() == kDigits &&
      text.find_first_not_of("0123456789abcdef") == std::string::npos)
    return std::set<std::string>{text};
  StatusOr<std::set<std::string>> digests = digestsOfFile(text, workers);
  if (!digests.isOk())
    return digests.status().annotate(
        "--allow takes a plan's digest of 64 hex digits, as 'graphc-server "
        "--digest=model.bin' prints it, or its model.bin");
  return digests;
}

/// The lines that a server writes, each with its task.
class Log {
public:
  explicit Log(std::string task) : prefix("graphc-server " + task + ": ") {}

  void write(Severity severity, std::string_view text) const {
    const char *kind = severity == Severity::Error     ? "error: "
                       : severity == Severity::Warning ? "warning: "
                                                       : "";
    std::fprintf(stderr, "%s%s%.*s\n", prefix.c_str(), kind,
                 static_cast<int>(text.size()), text.data());
  }

private:
  std::string prefix;
};

/// Names the tasks that are awaited, when that changes.
class StatusLine {
public:
  StatusLine(const ClusterSpec &cluster, const Log &log)
      : cluster(cluster), log(log) {}

  void update(const std::vector<TaskId> &missing) {
    std::string text;
    for (TaskId task : missing)
      text += (text.empty() ? "waits for " : ", ") + cluster.task(task).name();
    if (text.empty())
      text = "ready: all " + std::to_string(cluster.size()) +
             " tasks are connected";
    if (cluster.size() > 1 && text != last)
      log.write(Severity::Info, text);
    last = text;
  }

private:
  const ClusterSpec &cluster;
  const Log &log;
  std::string last;
};

StatusOr<GrpcTaskOptions> makeOptions(const ServerOptions &options,
                                      const Place &place) {
  GrpcTaskOptions made;
  made.task.cluster = place.cluster;
  made.task.self = place.self;
  made.task.incarnation = randomIncarnation();
  made.task.threads = options.threads;
  made.task.virtualGpus = options.virtualGpus;
  made.task.shareGpus = options.shareGpus;
  made.task.clockOffsetNanos = options.clockOffsetMillis * 1'000'000;
  if (!options.allowed.empty()) {
    made.task.allowedPlans.emplace();
    for (const std::string &text : options.allowed) {
      GRAPHC_ASSIGN_OR_RETURN(std::set<std::string> digests,
                              digestsOf(text, place.cluster.workers()));
      made.task.allowedPlans->insert(made.task.allowedPlans->end(),
                                     digests.begin(), digests.end());
    }
  }
  GRAPHC_ASSIGN_OR_RETURN(made.server.credentials,
                          Credentials::load(options.tlsDir));
  GRAPHC_TRY(checkOwnRole(made.server.credentials, options.tlsDir, true));
  GRAPHC_TRY(checkExposure(place.bind.toString(), made.server.credentials,
                           options.isInsecure));
  made.server.bind = place.bind;
  made.server.mostClients = options.mostClients;
  made.advertise = options.advertise;
  made.route = options.route;
  made.planFiles = options.plans;
  made.onStop = [] { gStopAsked = true; };
  return made;
}

Status writePort(const std::string &path, const TaskAddress &address) {
  std::string text =
      (address.isUnix() ? address.toString() : std::to_string(address.port)) +
      "\n";
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return replaceFile(path, {&bytes, 1});
}

/// Until a signal, a client or the lack of clients ends it; returns which.
std::string waitForEnd(const GrpcTask &task, const ServerOptions &options,
                       StatusLine &status) {
  int64_t usedNanos = nowNanos();
  while (!stopRequested()) {
    if (gStopAsked)
      return "a client asked the server to end";
    status.update(task.missingPeers());
    if (task.clients() > 0)
      usedNanos = nowNanos();
    if (options.idleExitSeconds > 0 &&
        (nowNanos() - usedNanos) / 1'000'000'000 >= options.idleExitSeconds)
      return "there was no client for " +
             std::to_string(options.idleExitSeconds) + " s";
    timespec look = {0, kLookNanos};
    nanosleep(&look, nullptr);
  }
  return "a signal asked the server to end";
}

int exitCodeOf(const Status &status) {
  return status.code() == StatusCode::AlreadyExists ? kExitTaken : kExitFailure;
}

int runTask(const ServerOptions &options, const Place &place) {
  const Log log(place.cluster.task(place.self).name());
  StatusOr<GrpcTaskOptions> made = makeOptions(options, place);
  if (!made.isOk()) {
    log.write(Severity::Error, made.status().message());
    return kExitFailure;
  }
  made->log = [&log](Severity severity, std::string_view text) {
    log.write(severity, text);
  };
  StatusOr<std::unique_ptr<GrpcTask>> task = GrpcTask::start(std::move(*made));
  if (!task.isOk()) {
    log.write(Severity::Error, task.status().message());
    return exitCodeOf(task.status());
  }
  StatusOr<std::unique_ptr<MetricsExposer>> exposer = flags::serveMetrics(
      options.metrics, [&task] { return (*task)->metrics(); });
  if (!exposer.isOk()) {
    log.write(Severity::Error, exposer.status().message());
    return kExitFailure;
  }
  const TaskAddress &address = (*task)->address();
  if (!options.portFile.empty())
    if (Status status = writePort(options.portFile, address); !status.isOk()) {
      log.write(Severity::Error, status.message());
      return kExitFailure;
    }
  // After the file: who waits for this line may read it.
  std::printf("listening on %s%s\n", address.isUnix() ? "" : "grpc://",
              address.toString().c_str());
  std::fflush(stdout);
  if (StatusOr<TaskAddress> told = TaskAddress::parse((*task)->advertised());
      told.isOk() && told->isWildcard())
    log.write(Severity::Warning,
              "other machines cannot call it at " + told->toString() +
                  ", as clients are told; give --advertise=HOST:" +
                  std::to_string(told->port));
  StatusLine status(place.cluster, log);
  std::string reason = waitForEnd(**task, options, status);
  log.write(Severity::Info, "ends: " + reason);
  exposer->reset(); // it asks the task
  (*task)->shutDown(reason);
  return 0;
}

} // namespace

Status printDigest(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> plan, Model::open(path));
  std::set<uint32_t> members = planVariantsOf(*plan);
  bool hasVariants = !members.empty();
  if (!hasVariants)
    members.insert(0);
  for (uint32_t workers : members)
    for (bool onHost : {false, true}) {
      if (onHost && !hasHostVariants(*plan))
        continue;
      GRAPHC_ASSIGN_OR_RETURN(std::string digest,
                              digestOfPlan(plan, workers, onHost));
      std::string whose =
          hasVariants ? " for " + std::to_string(workers) + " workers" : "";
      if (onHost)
        whose += " with --virtual-gpus";
      std::printf("%s%s\n", digest.c_str(), whose.c_str());
    }
  return Status::ok();
}

int serve(const ServerOptions &options) {
  std::signal(SIGPIPE, SIG_IGN);
  catchStopSignals();
  const char *tfConfig = std::getenv("TF_CONFIG");
  StatusOr<Place> place = findPlace(options, tfConfig ? tfConfig : "");
  if (!place.isOk()) {
    printError(place.status().message());
    return kExitBadCommandLine;
  }
  return runTask(options, *place);
}

} // namespace graphc::server
