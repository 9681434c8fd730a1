// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/GrpcConnector.h"

#include "runtime/base/Clock.h"
#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/Channels.h"
#include "runtime/rpc/ClientCall.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <grpcpp/alarm.h>
#include <mutex>
#include <vector>

namespace graphc::runtime {

namespace {

constexpr int64_t kRetryNanos = 100'000'000;
/// Time for which anything but a Describe waits for a task that does not
/// listen.
constexpr int64_t kPatienceNanos = 1'000'000'000;

} // namespace

struct GrpcConnector::State {
  struct Peer {
    std::shared_ptr<grpc::Channel> channel;
    std::shared_ptr<ClientCall> call;      ///< null: there is none
    std::deque<protocol::Request> waiting; ///< for the next call
    int64_t retryNanos = INT64_MAX;        ///< when that is tried again
    int64_t sinceNanos = 0;                ///< the first attempt
  };

  grpc::CompletionQueue queue;
  bool isTls = false;
  std::vector<Peer> peers;
  ClientMachine *machine = nullptr; ///< during pump()
  bool hasEvent = false;            ///< the machine was told something
  std::atomic<bool> isInterrupted = false;

  /// Wakes the thread at the queue, then is no more.
  struct Interrupt final : CompletionEvent {
    State *state;
    grpc::Alarm alarm;
    void complete(bool) override {
      std::unique_ptr<Interrupt> self(this);
      state->hasEvent = true;
      state->isInterrupted = false;
    }
  };

  void call(TaskId task);
  void onEnd(TaskId task, const Status &why, bool wasOpen);
  /// The calls that were due by now are made; when the next one is.
  int64_t retry();
};

void GrpcConnector::State::call(TaskId task) {
  Peer &peer = peers[task];
  peer.retryNanos = INT64_MAX;
  ClientCall::Events events;
  events.onReply = [this, task](const protocol::Reply &reply) {
    hasEvent = true;
    if (machine)
      machine->onReply(task, reply);
  };
  events.onEnd = [this, task](const Status &why, bool wasOpen) {
    onEnd(task, why, wasOpen);
  };
  peer.call = ClientCall::begin(peer.channel, isTls, queue, std::move(events));
  for (protocol::Request &request : std::exchange(peer.waiting, {}))
    peer.call->send(std::move(request));
}

void GrpcConnector::State::onEnd(TaskId task, const Status &why, bool wasOpen) {
  Peer &peer = peers[task];
  std::deque<protocol::Request> unsent = peer.call->takeUnsent();
  peer.call.reset();
  int64_t now = nowNanos();
  bool mayWait = !unsent.empty() && (unsent.front().has_describe() ||
                                     now - peer.sinceNanos < kPatienceNanos);
  if (!wasOpen && why.code() == StatusCode::Unavailable && mayWait) {
    peer.waiting = std::move(unsent);
    peer.retryNanos = now + kRetryNanos;
    return;
  }
  hasEvent = true;
  if (machine)
    machine->onTaskGone(task, why);
}

int64_t GrpcConnector::State::retry() {
  int64_t now = nowNanos(), next = INT64_MAX;
  for (TaskId task = 0; task < peers.size(); ++task) {
    if (peers[task].retryNanos <= now)
      call(task);
    next = std::min(next, peers[task].retryNanos);
  }
  return next;
}

GrpcConnector::GrpcConnector() : state(std::make_unique<State>()) {}

StatusOr<std::unique_ptr<TaskConnector>>
GrpcConnector::create(const ClusterSpec &cluster,
                      const Credentials &credentials) {
  prepareProcess();
  std::unique_ptr<GrpcConnector> connector(new GrpcConnector());
  connector->state->isTls = credentials.isTls();
  for (const ClusterTask &task : cluster.tasks()) {
    StatusOr<TaskAddress> address = parseTarget(task.address);
    if (!address.isOk())
      return address.status().annotate(task.name());
    connector->state->peers.push_back({});
    connector->state->peers.back().channel =
        makeChannel(*address, credentials, true);
  }
  return std::unique_ptr<TaskConnector>(std::move(connector));
}

GrpcConnector::~GrpcConnector() {
  state->machine = nullptr;
  for (State::Peer &peer : state->peers)
    if (peer.call)
      peer.call->drop();
  // What is cancelled ends at once; a call may need several operations for it,
  // none of which may begin after the shutdown.
  CompletionLoop loop(state->queue);
  std::vector<std::weak_ptr<ClientCall>> ending;
  for (State::Peer &peer : state->peers)
    if (peer.call)
      ending.push_back(std::exchange(peer.call, nullptr));
  auto isOver = [](const auto &call) { return call.expired(); };
  while (!std::all_of(ending.begin(), ending.end(), isOver) ||
         state->isInterrupted)
    loop.next(INT64_MAX);
  state->queue.Shutdown();
  while (loop.next(INT64_MAX) != CompletionLoop::Next::Shutdown) {
  }
}

void GrpcConnector::send(TaskId task, protocol::Request request) {
  State::Peer &peer = state->peers[task];
  if (peer.call)
    return peer.call->send(std::move(request));
  bool isFirst = peer.waiting.empty();
  peer.waiting.push_back(std::move(request));
  if (!isFirst)
    return; // retry() comes
  peer.sinceNanos = nowNanos();
  state->call(task);
}

void GrpcConnector::pump(ClientMachine &machine, int64_t untilNanos) {
  state->machine = &machine;
  state->hasEvent = false;
  CompletionLoop loop(state->queue);
  while (!state->hasEvent) {
    int64_t retryNanos = state->retry();
    auto result = loop.next(std::min(untilNanos, retryNanos));
    bool isTimeout = result == CompletionLoop::Next::Timeout;
    if (isTimeout && nowNanos() >= untilNanos)
      break;
    if (!isTimeout && result == CompletionLoop::Next::Shutdown)
      break;
  }
  // Whatever else has come.
  while (loop.poll() == CompletionLoop::Next::Event) {
  }
  state->machine = nullptr;
}

void GrpcConnector::interrupt() {
  if (state->isInterrupted.exchange(true))
    return;
  auto *event = new State::Interrupt;
  event->state = state.get();
  event->alarm.Set(&state->queue, gpr_now(GPR_CLOCK_MONOTONIC),
                   static_cast<CompletionEvent *>(event));
}

} // namespace graphc::runtime
