// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests to all tasks of a cluster that need no model.
#include "runtime/rpc/GrpcConnector.h"
#include "tools/graphc-run/cluster/ClusterPlace.h"
#include "tools/graphc-run/cluster/ClusterRun.h"
#include "tools/graphc-run/cluster/WaitRoot.h"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace graphc::run {

using namespace runtime;

namespace {

constexpr double kAnswerSeconds = 3;

struct Answer {
  Status status;
  protocol::Reply reply;
};

/// Sends a request to all tasks at once; their answers, by task.
std::vector<Answer> askAll(const ClusterSpec &cluster,
                           const protocol::Request &request,
                           const Credentials &credentials, double seconds) {
  std::vector<Answer> answers(cluster.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < cluster.size(); ++i)
    threads.emplace_back([&, i] {
      StatusOr<protocol::Reply> reply =
          callTask(cluster.task(static_cast<TaskId>(i)).address, request,
                   credentials, static_cast<int64_t>(seconds * 1e9));
      if (!reply.isOk())
        answers[i].status = reply.status();
      else
        answers[i].reply = *std::move(reply);
    });
  for (std::thread &thread : threads)
    thread.join();
  return answers;
}

double secondsFor(const ClusterFlags &flags) {
  return flags.deadlineSeconds > 0
             ? std::min(flags.deadlineSeconds, kAnswerSeconds)
             : kAnswerSeconds;
}

} // namespace

StatusOr<int> printWhyStuck(const ClusterFlags &flags) {
  GRAPHC_ASSIGN_OR_RETURN(Credentials credentials, clientCredentials(flags));
  ClusterFlags find = flags;
  if (find.deadlineSeconds == 0)
    find.deadlineSeconds = kAnswerSeconds;
  GRAPHC_ASSIGN_OR_RETURN(ClusterSpec cluster,
                          findTasks({flags.whyStuck}, flags.cluster, find));
  protocol::Request request;
  request.set_id(1);
  request.mutable_waits();
  std::vector<Answer> replies =
      askAll(cluster, request, credentials, secondsFor(flags));
  std::vector<TaskAnswer> answers;
  for (size_t i = 0; i < replies.size(); ++i) {
    TaskAnswer answer;
    answer.task = cluster.task(static_cast<TaskId>(i)).name();
    answer.waits = replies[i].reply.waits();
    answer.why = replies[i].status.message();
    if (replies[i].status.code() == StatusCode::DeadlineExceeded)
      answer.kind = TaskAnswer::Kind::Stopped;
    else if (replies[i].status.code() == StatusCode::Unavailable)
      answer.kind = TaskAnswer::Kind::Dead;
    else if (!replies[i].status.isOk())
      return replies[i].status.annotate(answer.task);
    answers.push_back(std::move(answer));
  }
  WaitRoot root = findRoot(answers);
  std::printf("%sroot (%s): %s\n", describeWaits(answers).c_str(),
              className(root.kind), root.text.c_str());
  return 0;
}

StatusOr<int> stopCluster(const ClusterFlags &flags) {
  GRAPHC_ASSIGN_OR_RETURN(Credentials credentials, clientCredentials(flags));
  GRAPHC_ASSIGN_OR_RETURN(ClusterSpec cluster,
                          findTasks(flags.targets, flags.cluster, flags));
  protocol::Request request;
  request.set_id(1);
  request.mutable_stop();
  std::vector<Answer> answers =
      askAll(cluster, request, credentials, secondsFor(flags));
  int exitCode = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    // A task that is not there is what was asked for.
    const Status &status = answers[i].status;
    if (status.isOk() || status.code() == StatusCode::Unavailable)
      continue;
    printError(cluster.task(static_cast<TaskId>(i)).name() +
               " does not stop: " + status.message());
    exitCode = kExitFailure;
  }
  return exitCode;
}

} // namespace graphc::run
