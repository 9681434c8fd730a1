// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing variables that are in several tasks.
#include "runtime/base/Suggest.h"
#include "runtime/client/VariableReader.h"
#include "runtime/data/TypeCheck.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

using State = ClientMachine::State;

Status unknownVariable(const State &state, std::string_view name) {
  std::vector<std::string> names;
  for (const ClusterVariable &variable : state.variables)
    names.push_back(variable.name);
  return notFound(unknownName("the model", "variable", name, names));
}

/// Time between two requests to take, to a coordinator that misses a link.
constexpr int64_t kTakeAgainNanos = 100'000'000;

/// Tasks are armed, then the coordinators of updates give the step. Reading
/// without that would tear what workers update meanwhile.
class SnapshotOperation final : public ClientOperation {
public:
  explicit SnapshotOperation(State &state) : state(state) {}

  void start() override {
    state.dropSnapshot();
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
          state.snapshotTasks.insert(task);
    }
    if (coordinators.empty() || state.snapshotTasks.empty())
      return state.finish(Status::ok());
    giveUp = state.environment.nowNanos() + state.options.controlNanos;
    state.snapshot.set_client(state.options.incarnation);
    state.snapshot.set_number(++state.lastRun);
    ask(state.snapshotTasks, protocol::Request::Snapshot::ARM);
  }

  int64_t nextTimer() const override { return takeAgain; }
  void onTimer(int64_t now) override {
    if (now < takeAgain)
      return;
    takeAgain = INT64_MAX;
    refused = Status::ok();
    ask(coordinators, protocol::Request::Snapshot::TAKE);
  }

private:
  void ask(const std::set<TaskId> &tasks,
           protocol::Request::Snapshot::Phase phase) {
    missing = tasks.size();
    protocol::Request request;
    request.mutable_snapshot()->set_plan(state.digest);
    *request.mutable_snapshot()->mutable_id() = state.snapshot;
    request.mutable_snapshot()->set_phase(phase);
    for (TaskId task : tasks)
      state.request(
          task, request,
          [this, phase](TaskId, const protocol::Reply &reply) {
            onAnswer(phase, reply);
          },
          state.options.controlNanos);
  }

  void onAnswer(protocol::Request::Snapshot::Phase phase,
                const protocol::Reply &reply) {
    bool isArming = phase == protocol::Request::Snapshot::ARM;
    if (reply.has_failure()) {
      refused = toStatus(reply.failure());
      // Links come again; a conversation that was cut has lost the snapshot.
      bool isLink = refused.code() == StatusCode::Unavailable &&
                    !reply.failure().task().empty();
      if (isArming || !isLink)
        return end(refused);
    }
    if (--missing > 0)
      return;
    if (isArming)
      return ask(coordinators, protocol::Request::Snapshot::TAKE);
    if (refused.isOk())
      return state.finish(Status::ok());
    state.status(refused.message());
    takeAgain = state.environment.nowNanos() + kTakeAgainNanos;
    if (takeAgain >= giveUp)
      end(refused);
  }

  void end(const Status &status) {
    state.dropSnapshot();
    state.finish(status);
  }

  State &state;
  std::set<TaskId> coordinators;
  size_t missing = 0;
  Status refused; ///< by a coordinator
  int64_t takeAgain = INT64_MAX, giveUp = INT64_MAX;
};

class ReadOperation final : public ClientOperation {
public:
  ReadOperation(State &state, std::string_view name)
      : state(state), name(name) {}

  void start() override {
    const ClusterVariable *variable = state.findVariable(name);
    if (!variable)
      return state.finish(unknownVariable(state, name));
    reader.start(state, *variable, [this](const Status &status) {
      if (status.isOk())
        state.read = std::move(reader.value);
      state.finish(status);
    });
  }

private:
  State &state;
  std::string name;
  VariableReader reader;
};

class WriteOperation final : public ClientOperation {
public:
  WriteOperation(State &state, std::string_view name, const HostTensor &value)
      : state(state), name(name), value(value) {}

  void start() override {
    if (!state.lostWhileWriting.isOk())
      return state.finish(state.lostWhileWriting);
    const ClusterVariable *variable = state.findVariable(name);
    if (!variable)
      return state.finish(unknownVariable(state, name));
    if (value.type != variable->type ||
        value.bytes.size() != variable->type.numBytes())
      return state.finish(invalidArgument(
          "variable '" + name + "' is " + variable->type.toString() +
          ", but the value is " + value.type.toString()));
    Status bools = checkBools(value, name);
    if (!bools.isOk())
      return state.finish(bools);
    missing = variable->parts.size() + variable->mirrors.size();
    auto handler = [this](TaskId, const protocol::Reply &reply) {
      onWritten(reply);
    };
    for (const auto *places : {&variable->parts, &variable->mirrors})
      for (const VariablePlace &place : *places)
        sendValue(
            state, place,
            std::span(value.bytes).subspan(place.offset, place.type.numBytes()),
            handler);
  }

private:
  void onWritten(const protocol::Reply &reply) {
    if (reply.has_failure())
      return state.finish(toStatus(reply.failure()));
    if (--missing > 0)
      return;
    state.written.insert(name);
    // When all have values, tasks need not wait for others.
    if (isMarking || state.written.size() < state.variables.size())
      return state.finish(Status::ok());
    isMarking = true;
    state.isReplacing = false;
    state.written.clear();
    missing = state.tasks.size();
    for (TaskId task : state.tasks) {
      protocol::Request request;
      request.mutable_initialized()->set_plan(state.digest);
      request.mutable_initialized()->set_set(true);
      state.request(
          task, std::move(request),
          [this](TaskId, const protocol::Reply &reply) { onWritten(reply); },
          state.options.controlNanos);
    }
  }

  State &state;
  std::string name;
  HostTensor value;
  size_t missing = 0;
  bool isMarking = false;
};

} // namespace

void State::dropSnapshot() {
  for (TaskId task : std::exchange(snapshotTasks, {})) {
    protocol::Request request;
    request.mutable_snapshot()->set_plan(digest);
    *request.mutable_snapshot()->mutable_id() = snapshot;
    request.mutable_snapshot()->set_phase(protocol::Request::Snapshot::DROP);
    if (snapshot.number() != 0)
      tell(task, std::move(request));
  }
  snapshot.Clear();
}

std::unique_ptr<ClientOperation> snapshotOperation(State &state) {
  return std::make_unique<SnapshotOperation>(state);
}

std::unique_ptr<ClientOperation> readOperation(State &state,
                                               std::string_view variable) {
  return std::make_unique<ReadOperation>(state, variable);
}

std::unique_ptr<ClientOperation> writeOperation(State &state,
                                                std::string_view variable,
                                                const HostTensor &value) {
  return std::make_unique<WriteOperation>(state, variable, value);
}

} // namespace graphc::runtime
