// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-top: shows what the tasks of a cluster do. Exits 1 when no task is
// found, 2 on a bad command line, 130 when a signal ends it.
#include "runtime/base/StopSignal.h"
#include "runtime/rpc/GrpcConnector.h"
#include "tools/graphc-top/ClusterPoller.h"
#include "tools/graphc-top/TopJson.h"
#include "tools/graphc-top/TopOptions.h"
#include "tools/graphc-top/TopScreen.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace {

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::top;

constexpr int kExitInterrupted = 130;
constexpr int64_t kFindNanos = 3'000'000'000;

StatusOr<ClusterSpec> findCluster(const TopOptions &options,
                                  const Credentials &credentials) {
  if (!options.cluster.empty())
    return ClusterSpec::read(options.cluster);
  SearchEvents events;
  events.isStopRequested = stopRequested;
  return discoverCluster(options.targets, credentials, kFindNanos, events);
}

void printTable(const std::vector<TaskView> &tasks, TopView view) {
  std::printf("%s\n", summaryOf(tasks).c_str());
  TopTable table = makeTable(tasks, view);
  std::printf("%s\n", table.header.c_str());
  for (const std::string &row : table.rows)
    std::printf("%s\n", row.c_str());
  for (const TaskView &task : tasks)
    if (!task.reason.empty())
      std::printf("%s\n", detailOf(task).c_str());
}

/// False: interrupted.
bool printOnce(ClusterPoller &poller, const TopOptions &options,
               uint64_t round) {
  poller.await(round, stopRequested);
  if (stopRequested())
    return false;
  if (options.isJson)
    std::printf("%s\n", toJson(poller.views()).c_str());
  else
    printTable(poller.views(), options.view);
  return std::fflush(stdout) == 0;
}

StatusOr<bool> show(const TopOptions &options, const ClusterSpec &cluster,
                    const Credentials &credentials) {
  ClusterPoller poller(cluster, credentials, options.interval);
  bool isTerminal = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
  if (isTerminal && !options.isOnce && !options.isJson)
    return showScreen(poller, options.view, options.interval);
  // Rates need two samples.
  uint64_t round = 2;
  bool goesOn = options.isJson && !options.isOnce;
  while (printOnce(poller, options, round)) {
    if (!goesOn)
      return true;
    ++round;
  }
  return !stopRequested(); // who read the lines has gone
}

StatusOr<int> act(const TopOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(Credentials credentials,
                          Credentials::load(options.tlsDir));
  GRAPHC_TRY(checkOwnRole(credentials, options.tlsDir, false));
  GRAPHC_ASSIGN_OR_RETURN(ClusterSpec cluster,
                          findCluster(options, credentials));
  GRAPHC_ASSIGN_OR_RETURN(bool isDone, show(options, cluster, credentials));
  return isDone ? 0 : kExitInterrupted;
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN);
  ParsedTopOptions parsed = graphc::top::parseCommandLine(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  catchStopSignals();
  StatusOr<int> exitCode = act(parsed.options);
  if (exitCode.isOk())
    return *exitCode;
  if (stopRequested())
    return kExitInterrupted;
  flags::printError("graphc-top", exitCode.status().message());
  return flags::kExitFailure;
}
