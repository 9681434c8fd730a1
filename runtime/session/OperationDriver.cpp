// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/OperationDriver.h"

#include "runtime/base/Clock.h"
#include "runtime/session/DeadlineText.h"

#include <algorithm>
#include <limits>

namespace graphc::runtime {

namespace {

// Between looks at stop requests, while an operation waits.
constexpr int64_t kLookNanos = 50'000'000;
// What is waited for so long is reported.
constexpr int64_t kStatusNanos = 300'000'000;
// What a cancelled operation has for telling the tasks and hearing from them.
constexpr int64_t kCancelNanos = 700'000'000;

} // namespace

OperationDriver::OperationDriver(std::unique_ptr<TaskConnector> connector,
                                 OperationLimits limits)
    : how(std::move(limits)), connector(std::move(connector)) {}

Status OperationDriver::create(std::shared_ptr<const Model> plan,
                               ClusterSpec cluster,
                               const ClientOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(client, ClientMachine::create(std::move(plan),
                                                        std::move(cluster),
                                                        options, *this));
  return Status::ok();
}

int64_t OperationDriver::nowNanos() const { return runtime::nowNanos(); }

void OperationDriver::send(TaskId task, protocol::Request request) {
  connector->send(task, std::move(request));
}

void OperationDriver::status(std::string_view text) {
  if (text == lastStatus)
    return;
  lastStatus = text;
  statusSince = nowNanos();
}

void OperationDriver::cancel() {
  isCancelled.store(true);
  connector->interrupt();
}

/// Reports what is waited for, unless it is over soon.
void OperationDriver::reportStatus(int64_t now) {
  if (lastStatus == reportedStatus ||
      (!lastStatus.empty() && now - statusSince < kStatusNanos))
    return;
  reportedStatus = lastStatus;
  if (how.onStatus)
    how.onStatus(reportedStatus);
}

std::string OperationDriver::awaitedText() const {
  if (!lastStatus.empty())
    return ": " + lastStatus;
  std::string tasks = client->awaitedTasks();
  return tasks.empty() ? "" : ": no answer from " + tasks;
}

bool OperationDriver::mustStop(int64_t now, int64_t graceNanos) {
  if (isCancelled.load())
    return true;
  if (!how.isStopRequested || !how.isStopRequested())
    return false;
  if (stopSince == 0)
    stopSince = now;
  return now - stopSince >= graceNanos;
}

/// Looks for stop requests between the machine's events.
Status OperationDriver::drive(const char *what, int64_t stopGraceNanos,
                              std::optional<int64_t> untilNanos) {
  int64_t deadline = untilNanos.value_or(
      how.deadlineNanos > 0 ? nowNanos() + how.deadlineNanos
                            : std::numeric_limits<int64_t>::max());
  while (client->isBusy()) {
    int64_t now = nowNanos();
    if (now >= deadline)
      return stopOperation(Status(StatusCode::DeadlineExceeded,
                                  std::string(what) + " took longer than " +
                                      deadlineText(how.deadlineNanos) +
                                      awaitedText()));
    if (mustStop(now, stopGraceNanos))
      return stopOperation(
          cancelled(std::string(what) + " was cancelled by its caller"));
    reportStatus(now);
    connector->pump(
        *client, std::min({client->nextTimer(), now + kLookNanos, deadline}));
    if (client->isBusy() && client->nextTimer() <= nowNanos())
      client->onTimer();
  }
  status("");
  reportStatus(nowNanos());
  return client->result();
}

void OperationDriver::driveShards(int64_t mostNanos) {
  if (mostNanos == 0)
    mostNanos = how.deadlineNanos;
  int64_t until = mostNanos > 0 ? nowNanos() + mostNanos
                                : std::numeric_limits<int64_t>::max();
  while (client->isWritingShards() && !client->isBusy()) {
    int64_t now = nowNanos();
    if (mustStop(now, 0))
      return client->giveUpShards(
          cancelled("the training was stopped while tasks were writing it"));
    if (now >= until)
      return client->giveUpShards(
          Status(StatusCode::DeadlineExceeded,
                 "tasks have not written it in " + deadlineText(mostNanos)));
    connector->pump(*client,
                    std::min({client->nextTimer(), now + kLookNanos, until}));
    if (client->nextTimer() <= nowNanos())
      client->onTimer();
  }
}

/// Cancels the operation; `why` is its outcome, unless it was over already.
Status OperationDriver::stopOperation(const Status &why) {
  client->cancel();
  int64_t end = nowNanos() + kCancelNanos;
  while (client->isBusy() && nowNanos() < end) {
    connector->pump(
        *client, std::min({client->nextTimer(), nowNanos() + kLookNanos, end}));
    if (client->isBusy() && client->nextTimer() <= nowNanos())
      client->onTimer();
  }
  isStuck = client->isBusy();
  status("");
  reportStatus(nowNanos());
  return why;
}

Status OperationDriver::checkUsable() const {
  if (isStuck)
    return failedPrecondition(
        "an earlier call did not end when it was cancelled, since tasks do not "
        "answer; open the cluster anew");
  return Status::ok();
}

} // namespace graphc::runtime
