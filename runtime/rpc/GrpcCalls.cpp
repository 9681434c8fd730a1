// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single questions to tasks.
#include "runtime/base/Clock.h"
#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/Channels.h"
#include "runtime/rpc/GrpcConnector.h"
#include "runtime/rpc/Metadata.h"
#include "runtime/rpc/StatusMap.h"
#include "runtime/rpc/server/PeerRoles.h"
#include "runtime/rpc/service.grpc.pb.h"

#include <cstdio>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

namespace graphc::runtime {

namespace {

constexpr int64_t kOneTryNanos = 500'000'000;
/// After this a search tells that it waits.
constexpr int64_t kPatienceNanos = 1'000'000'000;
/// Interval at which a search checks for a stop.
constexpr std::chrono::milliseconds kLook{50};

std::chrono::system_clock::time_point after(int64_t nanos) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(
             std::chrono::nanoseconds(nanos));
}

/// "/job:ps/task:0=host:port".
StatusOr<ClusterTask> parseTask(const std::string &text) {
  Status bad = internalError("a task describes its cluster by '" + text + "'");
  size_t equals = text.find('='), slash = text.find("/task:");
  if (!text.starts_with("/job:") || slash == std::string::npos ||
      equals == std::string::npos || equals < slash)
    return bad;
  ClusterTask task;
  task.job = text.substr(5, slash - 5);
  for (char digit : text.substr(slash + 6, equals - slash - 6)) {
    if (digit < '0' || digit > '9' || task.index > 1'000'000)
      return bad;
    task.index = task.index * 10 + (digit - '0');
  }
  task.address = text.substr(equals + 1);
  return task;
}

StatusOr<ClusterSpec> parseCluster(const protocol::Reply::Description &answer) {
  std::vector<ClusterTask> tasks;
  for (const std::string &text : answer.addresses()) {
    GRAPHC_ASSIGN_OR_RETURN(ClusterTask task, parseTask(text));
    tasks.push_back(std::move(task));
  }
  return ClusterSpec::make(std::move(tasks));
}

/// Asks targets until one answers.
class Search {
public:
  Search(std::span<const std::string> targets, bool isTls, int64_t nanos,
         const SearchEvents &events)
      : targets(targets), isTls(isTls), nanos(nanos), begin(nowNanos()),
        events(events) {}

  Status prepare(const Credentials &credentials);
  StatusOr<protocol::Reply::Description> find();

private:
  int64_t end() const { return begin + nanos; }
  bool isStopped() const {
    return events.isStopRequested && events.isStopRequested();
  }
  std::string names() const;
  void tellWait();
  StatusOr<protocol::Reply::Description> describe(graphc::Task::Stub &stub,
                                                  bool waits);

  std::span<const std::string> targets;
  const bool isTls;
  const int64_t nanos, begin;
  const SearchEvents &events;
  std::vector<std::unique_ptr<graphc::Task::Stub>> stubs;
  Status last;
  bool hasTold = false;
};

Status Search::prepare(const Credentials &credentials) {
  for (const std::string &target : targets) {
    GRAPHC_ASSIGN_OR_RETURN(TaskAddress address, parseTarget(target));
    stubs.push_back(
        graphc::Task::NewStub(makeChannel(address, credentials, true)));
  }
  return Status::ok();
}

std::string Search::names() const {
  std::string text;
  for (const std::string &target : targets)
    text += (text.empty() ? "" : ", ") + target;
  return text;
}

void Search::tellWait() {
  if (hasTold || !events.onWait || nowNanos() - begin < kPatienceNanos)
    return;
  hasTold = true;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g s",
                static_cast<double>(nanos) * 1e-9);
  events.onWait("waits for a task at " + names() + ", for " + seconds +
                " at most" + (last.isOk() ? "" : " (" + last.message() + ")"));
}

/// One try, which a stop request ends early.
StatusOr<protocol::Reply::Description>
Search::describe(graphc::Task::Stub &stub, bool waits) {
  grpc::ClientContext context;
  context.set_wait_for_ready(waits);
  int64_t left = std::max<int64_t>(end() - nowNanos(), 1);
  context.set_deadline(after(std::min(left, kOneTryNanos)));
  protocol::Reply::Description answer;
  grpc::Status status;
  grpc::CompletionQueue queue;
  auto call = stub.AsyncDescribe(&context, {}, &queue);
  call->Finish(&answer, &status, this);
  void *tag = nullptr;
  bool isOk = false;
  while (
      queue.AsyncNext(&tag, &isOk, std::chrono::system_clock::now() + kLook) ==
      grpc::CompletionQueue::TIMEOUT) {
    if (isStopped())
      context.TryCancel();
    tellWait();
  }
  queue.Shutdown();
  while (queue.Next(&tag, &isOk)) {
  }
  if (!status.ok())
    return fromGrpc(status);
  GRAPHC_TRY(checkServerRole(context, isTls));
  return answer;
}

StatusOr<protocol::Reply::Description> Search::find() {
  bool isFirstRound = true; // which reports what is wrong; later ones wait
  do {
    for (size_t i = 0; i < stubs.size(); ++i) {
      StatusOr<protocol::Reply::Description> answer =
          describe(*stubs[i], !isFirstRound);
      if (answer.isOk())
        return answer;
      if (isStopped())
        return cancelled("the search for the cluster was stopped");
      if (isFirstRound)
        last = answer.status().annotate(targets[i]);
      if (last.code() == StatusCode::PermissionDenied)
        return last;
    }
    isFirstRound = false;
  } while (nowNanos() < end());
  return unavailable("no task answers at " + names() + " (" + last.message() +
                     "); is graphc-server running there?");
}

} // namespace

StatusOr<ClusterSpec> discoverCluster(std::span<const std::string> targets,
                                      const Credentials &credentials,
                                      int64_t timeoutNanos,
                                      const SearchEvents &events) {
  prepareProcess();
  if (targets.empty())
    return invalidArgument("no target is given");
  Search search(targets, credentials.isTls(), timeoutNanos, events);
  GRAPHC_TRY(search.prepare(credentials));
  GRAPHC_ASSIGN_OR_RETURN(protocol::Reply::Description answer, search.find());
  return parseCluster(answer);
}

StatusOr<protocol::Reply> callTask(const std::string &text,
                                   protocol::Request request,
                                   const Credentials &credentials,
                                   int64_t timeoutNanos) {
  prepareProcess();
  GRAPHC_ASSIGN_OR_RETURN(TaskAddress address, parseTarget(text));
  auto stub = graphc::Task::NewStub(makeChannel(address, credentials, true));
  grpc::ClientContext context;
  context.set_deadline(after(timeoutNanos));
  if (request.id() == 0)
    request.set_id(1);
  auto stream = stub->Converse(&context);
  stream->WaitForInitialMetadata();
  Status role = checkServerRole(context, credentials.isTls());
  bool isAnswered = context.GetServerInitialMetadata().count(kProtocolKey);
  if (isAnswered && !role.isOk()) {
    context.TryCancel();
    stream->Finish();
    return role.annotate(text);
  }
  stream->Write(request); // where it fails, Finish has the cause
  protocol::Reply reply;
  while (stream->Read(&reply))
    if (reply.id() == request.id() && reply.last()) {
      context.TryCancel();
      stream->Finish();
      return reply;
    }
  grpc::Status status = stream->Finish();
  if (status.ok())
    return unavailable(text + ": the task ended the conversation");
  // A process that is stopped still accepts connections: its kernel does.
  if (status.error_message().find("SETTINGS") != std::string::npos)
    return Status(StatusCode::DeadlineExceeded,
                  text + ": it accepts connections, but does not answer");
  return fromGrpc(status).annotate(text);
}

} // namespace graphc::runtime
