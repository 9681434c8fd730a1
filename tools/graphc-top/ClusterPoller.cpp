// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/ClusterPoller.h"

#include "runtime/base/Clock.h"
#include "runtime/rpc/GrpcConnector.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace graphc::top {

using namespace runtime;

namespace {

constexpr double kMinAnswer = 0.5, kMaxAnswer = 2; ///< seconds
constexpr auto kLook = std::chrono::milliseconds(50);

/// A task of another version, or one that refuses, has answered all the same.
Status plainStatus(const Status &status) {
  if (status.code() == StatusCode::Unimplemented)
    return Status(StatusCode::Unimplemented,
                  "it is of an older version, which counts nothing");
  return status;
}

StatusOr<Metrics> ask(const ClusterTask &task, const Credentials &credentials,
                      double seconds) {
  protocol::Request request;
  request.set_id(1);
  request.mutable_metrics();
  int64_t nanos =
      static_cast<int64_t>(std::clamp(seconds, kMinAnswer, kMaxAnswer) * 1e9);
  GRAPHC_ASSIGN_OR_RETURN(
      protocol::Reply reply,
      callTask(task.address, std::move(request), credentials, nanos));
  if (reply.has_failure())
    return plainStatus(Status(static_cast<StatusCode>(reply.failure().code()),
                              reply.failure().message()));
  return std::move(*reply.mutable_metrics());
}

} // namespace

ClusterPoller::ClusterPoller(ClusterSpec spec, Credentials given,
                             double seconds)
    : cluster(std::move(spec)), credentials(std::move(given)), seconds(seconds),
      latest(cluster.size()), rounds(cluster.size()) {
  for (size_t i = 0; i < cluster.size(); ++i) {
    latest[i].task = cluster.task(static_cast<TaskId>(i)).name();
    latest[i].address = cluster.task(static_cast<TaskId>(i)).address;
  }
  for (size_t i = 0; i < cluster.size(); ++i)
    threads.emplace_back([this, i] { poll(i); });
}

ClusterPoller::~ClusterPoller() {
  {
    MutexLock lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

bool ClusterPoller::rest(int64_t untilNanos) {
  MutexLock lock(mutex);
  while (!isEnding && nowNanos() < untilNanos)
    changed.wait_for(lock.native(), kLook);
  return !isEnding;
}

void ClusterPoller::poll(size_t task) {
  const ClusterTask &asked = cluster.task(static_cast<TaskId>(task));
  std::optional<Metrics> before;
  int64_t next = nowNanos();
  while (rest(next)) {
    next = nowNanos() + static_cast<int64_t>(seconds * 1e9);
    StatusOr<Metrics> answer = ask(asked, credentials, seconds);
    TaskView view;
    if (answer.isOk())
      view = viewOf(*answer, before ? &*before : nullptr);
    {
      MutexLock lock(mutex);
      if (!answer.isOk())
        view = lostView(latest[task], answer.status());
      view.task = asked.name();
      view.address = asked.address;
      latest[task] = std::move(view);
      ++rounds[task];
      ++answers;
    }
    changed.notify_all();
    if (answer.isOk())
      before = *std::move(answer);
    else
      before.reset();
  }
}

std::vector<TaskView> ClusterPoller::views() const {
  MutexLock lock(mutex);
  return latest;
}

uint64_t ClusterPoller::version() const {
  MutexLock lock(mutex);
  return answers;
}

void ClusterPoller::await(uint64_t wanted,
                          const std::function<bool()> &isStopRequested) {
  MutexLock lock(mutex);
  while (std::ranges::any_of(rounds,
                             [&](uint64_t each) { return each < wanted; }) &&
         !isStopRequested())
    changed.wait_for(lock.native(), kLook);
}

} // namespace graphc::top
