// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing variables that are in several tasks.
#include "runtime/base/Suggest.h"
#include "runtime/client/UpdateFence.h"
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

/// Tasks are armed, then the coordinators of updates give the step.
class SnapshotOperation final : public ClientOperation {
public:
  explicit SnapshotOperation(State &state) : state(state), fence(state) {}

  void start() override {
    state.dropSnapshot();
    state.snapshotTasks = fence.tasks();
    missing = fence.tasks().size();
    if (missing == 0)
      return state.finish(Status::ok());
    state.snapshot.set_client(state.options.incarnation);
    state.snapshot.set_number(++state.lastRun);
    protocol::Request request;
    request.mutable_snapshot()->set_plan(state.digest);
    *request.mutable_snapshot()->mutable_id() = state.snapshot;
    request.mutable_snapshot()->set_phase(protocol::Request::Snapshot::ARM);
    for (TaskId task : fence.tasks())
      state.request(
          task, request,
          [this](TaskId, const protocol::Reply &reply) { onArmed(reply); },
          state.options.controlNanos);
  }

  int64_t nextTimer() const override { return fence.nextTimer(); }
  void onTimer(int64_t now) override { fence.onTimer(now); }

private:
  void onArmed(const protocol::Reply &reply) {
    if (reply.has_failure())
      return end(toStatus(reply.failure()));
    if (--missing == 0)
      fence.put(state.snapshot, [this](const Status &status) { end(status); });
  }

  void end(const Status &status) {
    if (!status.isOk())
      state.dropSnapshot();
    state.finish(status);
  }

  State &state;
  UpdateFence fence;
  size_t missing = 0;
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
