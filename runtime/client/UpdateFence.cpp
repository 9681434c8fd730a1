// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/UpdateFence.h"

#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"

namespace graphc::runtime {

namespace {
/// Time between two requests to a coordinator that misses a link.
constexpr int64_t kAskAgainNanos = 100'000'000;
} // namespace

UpdateFence::UpdateFence(ClientMachine::State &state) : state(state) {
  for (const format::Graph *graph : *state.plan->index().graphs()) {
    const format::Instance *instance = graph->instance();
    if (!instance || instance->coordination() == format::Coordination::None)
      continue;
    StatusOr<TaskId> coordinator = state.cluster.findDevice(
        std::string(viewOf(instance->coordinator())) + "/device:CPU:0");
    if (coordinator.isOk())
      coordinators.insert(*coordinator);
    for (TaskId task : state.tasksOf(*graph))
      if (task != kNoTask && state.holdsVariables(task))
        armed.insert(task);
  }
  if (coordinators.empty())
    armed.clear();
}

void UpdateFence::put(const protocol::RunId &snapshot, Done done) {
  id = snapshot;
  whenDone = std::move(done);
  giveUp = state.environment.nowNanos() + state.options.controlNanos;
  ask();
}

void UpdateFence::onTimer(int64_t now) {
  if (now < askAgain)
    return;
  askAgain = INT64_MAX;
  ask();
}

void UpdateFence::ask() {
  refused = Status::ok();
  missing = coordinators.size();
  protocol::Request request;
  request.mutable_snapshot()->set_plan(state.digest);
  *request.mutable_snapshot()->mutable_id() = id;
  request.mutable_snapshot()->set_phase(protocol::Request::Snapshot::TAKE);
  for (TaskId task : coordinators)
    state.request(
        task, request,
        [this](TaskId, const protocol::Reply &reply) { onAnswer(reply); },
        state.options.controlNanos);
}

void UpdateFence::onAnswer(const protocol::Reply &reply) {
  if (reply.has_failure()) {
    refused = toStatus(reply.failure());
    // Links come again; a conversation that was cut has lost the snapshot.
    if (refused.code() != StatusCode::Unavailable ||
        reply.failure().task().empty())
      return whenDone(refused);
  }
  if (--missing > 0)
    return;
  if (refused.isOk())
    return whenDone(Status::ok());
  state.status(refused.message());
  askAgain = state.environment.nowNanos() + kAskAgainNanos;
  if (askAgain >= giveUp)
    whenDone(refused);
}

} // namespace graphc::runtime
