// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints whose shards tasks write by themselves.
#include "runtime/checkpoint/ShardFile.h"
#include "runtime/client/UpdateFence.h"
#include "runtime/format/Quote.h"
#include "runtime/protocol/TaskFailure.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

using State = ClientMachine::State;
using Snapshot = protocol::Request::Snapshot;

/// Time that a task has to write a shard, apart from that for its bytes.
constexpr int64_t kWriteNanos = 600'000'000'000;
/// Of a slow disk.
constexpr int64_t kNanosPerByte = 100;

std::string parentOf(const std::string &folder) {
  return folder.substr(0, folder.rfind('/'));
}

/// Asks all tasks whether they can, has them copy their variables between the
/// same two steps, and lets them write. From then on replies come aside.
class ShardOperation final : public ClientOperation {
public:
  ShardOperation(State &state, const ShardPlace &place, OnShards onEnd)
      : state(state), fence(state), place(place), onEnd(std::move(onEnd)) {}

  void start() override {
    state.giveUpShards(cancelled("another checkpoint is written"));
    state.shardsAccepted = false;
    state.shardRefusal = divideVariables();
    if (!state.shardRefusal.empty() || files.empty())
      return state.finish(Status::ok());
    id.set_client(state.options.incarnation);
    id.set_number(++state.lastRun);
    // Tasks look again before they write; here none has to wait for a disk.
    if (!state.sharedParent.empty() &&
        state.sharedParent == parentOf(place.folder))
      return copy();
    ask(
        Snapshot::PROBE,
        [this](const protocol::Failure &why) {
          // Also of a server that does not know the request.
          refuse(toStatus(why), why.task());
        },
        [this] { copy(); });
  }

  int64_t nextTimer() const override { return fence.nextTimer(); }
  void onTimer(int64_t now) override { fence.onTimer(now); }

private:
  struct File {
    TaskId task = kNoTask;
    std::string name;
    size_t bytes = 0;
    google::protobuf::RepeatedPtrField<Snapshot::Tensor> tensors;
  };

  std::string divideVariables();
  Snapshot &fill(protocol::Request &request, const File &file,
                 Snapshot::Phase phase);
  void ask(Snapshot::Phase phase,
           std::function<void(const protocol::Failure &)> onFailure,
           std::function<void()> onAll);
  void copy();
  void refuse(const Status &why, const std::string &task);
  void fail(const Status &why);
  void write();

  State &state;
  UpdateFence fence;
  const ShardPlace place;
  OnShards onEnd;
  protocol::RunId id;
  std::vector<File> files;
  size_t missing = 0;
};

/// Sorted as a client that writes the shards itself sorts them. Not empty: why
/// no shard can have a variable.
std::string ShardOperation::divideVariables() {
  std::map<std::string, File> byTask;
  for (const ClusterVariable &variable : state.variables) {
    if (variable.isTransient)
      continue;
    TaskId task = variable.parts.front().task;
    Snapshot::Tensor tensor;
    tensor.set_name(variable.name);
    for (const VariablePlace &part : variable.parts) {
      if (part.task != task || task == kNoTask)
        return "variable " + quote(variable.name) +
               " is divided over several tasks";
      tensor.add_parts(part.name);
    }
    File &file = byTask[state.nameOf(task)];
    file.task = task;
    file.bytes += variable.type.numBytes();
    *file.tensors.Add() = std::move(tensor);
  }
  for (auto &[task, file] : byTask) {
    file.name = shardName(files.size() + 1, byTask.size());
    files.push_back(std::move(file));
  }
  return {};
}

Snapshot &ShardOperation::fill(protocol::Request &request, const File &file,
                               Snapshot::Phase phase) {
  Snapshot &snapshot = *request.mutable_snapshot();
  snapshot.set_plan(state.digest);
  *snapshot.mutable_id() = id;
  snapshot.set_phase(phase);
  snapshot.set_file(file.name);
  snapshot.set_folder(place.folder);
  snapshot.set_token(place.token);
  return snapshot;
}

/// Of each task with variables; tasks whose updates have an order are only
/// armed where others copy.
void ShardOperation::ask(
    Snapshot::Phase phase,
    std::function<void(const protocol::Failure &)> onFailure,
    std::function<void()> onAll) {
  missing = files.size();
  for (const File &file : files) {
    protocol::Request request;
    bool isArmed =
        phase == Snapshot::COPY && fence.tasks().count(file.task) != 0;
    Snapshot &snapshot = fill(request, file, isArmed ? Snapshot::ARM : phase);
    if (phase == Snapshot::COPY)
      *snapshot.mutable_tensors() = file.tensors;
    state.request(
        file.task, std::move(request),
        [this, onFailure, onAll](TaskId, const protocol::Reply &reply) {
          if (reply.has_failure())
            return onFailure(reply.failure());
          if (--missing == 0)
            onAll();
        },
        state.options.controlNanos);
  }
}

void ShardOperation::copy() {
  auto onFailure = [this](const protocol::Failure &failure) {
    // A task without memory for the copy can still send its variables.
    Status why = toStatus(failure);
    if (why.code() == StatusCode::ResourceExhausted)
      refuse(why, failure.task());
    else
      fail(why);
  };
  ask(Snapshot::COPY, onFailure, [this] {
    if (std::ranges::none_of(files, [&](const File &file) {
          return fence.tasks().count(file.task) != 0;
        }))
      return write();
    fence.put(id, [this](const Status &status) {
      if (status.isOk())
        write();
      else
        fail(status);
    });
  });
}

/// A task that is gone is a failure, as it would be for who reads from it.
void ShardOperation::refuse(const Status &why, const std::string &task) {
  if (why.code() == StatusCode::Unavailable && task.empty())
    return fail(why);
  bool isOld = why.code() == StatusCode::InvalidArgument ||
               why.code() == StatusCode::Unimplemented;
  state.shardRefusal =
      isOld ? "an older version of graphc serves " + task : why.message();
  fail(Status::ok());
}

/// Tasks forget what they have copied.
void ShardOperation::fail(const Status &why) {
  for (const File &file : files) {
    protocol::Request request;
    fill(request, file, Snapshot::DROP);
    state.tell(file.task, std::move(request));
  }
  state.finish(why);
}

void ShardOperation::write() {
  state.shards.emplace();
  state.shardsAccepted = true;
  ShardWrites &shards = *state.shards;
  shards.id = id;
  shards.place = place;
  shards.onEnd = std::move(onEnd);
  shards.missing = files.size();
  for (size_t i = 0; i < files.size(); ++i) {
    const File &file = files[i];
    shards.shards.push_back({file.task, file.name, {}});
    protocol::Request request;
    fill(request, file, Snapshot::WRITE);
    state.requestAside(
        file.task, std::move(request),
        [&state = state, i](TaskId, const protocol::Reply &reply) {
          state.onShard(i, reply);
        },
        kWriteNanos + kNanosPerByte * static_cast<int64_t>(file.bytes));
  }
  state.finish(Status::ok());
}

} // namespace

void State::onShard(size_t shard, const protocol::Reply &reply) {
  if (!shards)
    return;
  if (reply.has_failure())
    return giveUpShards(toStatus(reply.failure()));
  shards->shards[shard].written = reply.shard();
  if (--shards->missing > 0)
    return;
  ShardWrites done = std::move(*shards);
  shards.reset();
  sharedParent = parentOf(done.place.folder);
  done.onEnd(Status::ok(), done.shards);
}

void State::giveUpShards(const Status &why) {
  if (!shards)
    return;
  ShardWrites given = std::move(*shards);
  shards.reset();
  sharedParent.clear();
  background.clear(); // what still comes is late
  for (const WrittenShard &shard : given.shards) {
    protocol::Request request;
    request.mutable_snapshot()->set_plan(digest);
    *request.mutable_snapshot()->mutable_id() = given.id;
    request.mutable_snapshot()->set_phase(Snapshot::DROP);
    tell(shard.task, std::move(request));
  }
  given.onEnd(why, {});
}

std::unique_ptr<ClientOperation>
shardOperation(State &state, const ShardPlace &place, OnShards onEnd) {
  return std::make_unique<ShardOperation>(state, place, std::move(onEnd));
}

} // namespace graphc::runtime
