// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a task as clients read and write them by hand: chunks, types,
// snapshots, and waiting for first values.
#include "test/runtime/task/PingConversation.h"

using namespace graphc;
using namespace graphc::runtime;
using test::expectFailure;
using test::PingConversation;

namespace {

constexpr int64_t kLarge = 600'000; // floats, of three chunks

/// Variables w, large and flags on worker 0.
test::ModelBuilder stateModel() {
  test::ModelBuilder model = test::pingModel(3);
  model.addVariable("w", {DType::Float32, {2}});
  model.addVariable("large", {DType::Float32, {kLarge}});
  model.addVariable("flags", {DType::Bool, {2}});
  for (auto &variable : model.variables)
    variable.device = "/job:worker/replica:0/task:0/device:CPU:0";
  return model;
}

struct State : PingConversation {
  State() : PingConversation({}, stateModel()) {}

  protocol::Request write(const char *name, DType type, int64_t size,
                          uint64_t total, const std::string &data,
                          uint64_t offset = 0) {
    protocol::Request request;
    request.mutable_write()->set_plan(plan);
    protocol::Chunk &chunk = *request.mutable_write()->mutable_value();
    chunk.set_name(name);
    chunk.set_dtype(static_cast<uint32_t>(type));
    chunk.add_shape(size);
    chunk.set_offset(offset);
    chunk.set_total(total);
    chunk.set_data(data);
    return request;
  }
  protocol::Request read(const char *name) {
    protocol::Request request;
    request.mutable_read()->set_plan(plan);
    request.mutable_read()->set_variable(name);
    return request;
  }
  /// All that comes of it.
  std::string valueOf(const char *name) {
    protocol::Reply reply = ask(read(name));
    EXPECT_FALSE(reply.has_failure()) << reply.ShortDebugString();
    cluster.settle();
    std::string value;
    for (const protocol::Reply &each : cluster.replies(client)) {
      EXPECT_EQ(each.value().name(), name);
      EXPECT_EQ(each.value().offset(), value.size());
      value += each.value().data();
      EXPECT_EQ(each.last(), value.size() == each.value().total());
    }
    return value;
  }
  protocol::Request initialized(bool isSet, int64_t deadline = 0) {
    protocol::Request request;
    request.mutable_initialized()->set_plan(plan);
    request.mutable_initialized()->set_set(isSet);
    request.set_deadline_ms(deadline);
    return request;
  }
};

TEST(TaskState, ValuesComeAndGoInChunks) {
  State state;
  std::string value;
  for (size_t i = 0; i < kLarge * sizeof(float); ++i)
    value += char(i * 31 >> 5);
  uint64_t id = 500;
  for (size_t at = 0; at < value.size(); at += 1 << 20) {
    protocol::Request request =
        state.write("large", DType::Float32, kLarge, value.size(),
                    value.substr(at, 1 << 20), at);
    request.set_id(id);
    protocol::Reply reply = state.ask(request);
    EXPECT_FALSE(reply.has_failure()) << reply.ShortDebugString();
    EXPECT_EQ(reply.last(), at + (1 << 20) >= value.size());
  }
  EXPECT_TRUE(state.valueOf("large") == value);
  EXPECT_EQ(state.cluster.replies(state.client).size(), 3u);
  EXPECT_EQ(state.valueOf("w").size(), 8u);
}

TEST(TaskState, AClientWithoutRoomGetsNoChunks) {
  State state;
  state.cluster.isFull[state.client] = true;
  state.ask(state.read("large"));
  state.cluster.settle();
  EXPECT_TRUE(state.cluster.replies(state.client).empty());
  state.cluster.isFull[state.client] = false;
  state.cluster.settle();
  EXPECT_EQ(state.cluster.replies(state.client).size(), 3u);
}

TEST(TaskState, WhatIsNoValueIsRefusedAndForgotten) {
  State state;
  const std::string eight(8, 'x');
  constexpr auto kInvalid = StatusCode::InvalidArgument;
  std::string before = state.valueOf("w");
  auto refuse = [&](protocol::Request request, StatusCode code,
                    const char *text) {
    request.set_id(300); // what came before it is not gone on with
    expectFailure(state.ask(request), code, text);
  };
  protocol::Request other = state.write("w", DType::Float32, 2, 8, eight);
  other.mutable_write()->set_plan("1234");
  refuse(other, StatusCode::NotFound, "is not loaded at this task");
  refuse(state.write("v", DType::Float32, 2, 8, eight), StatusCode::NotFound,
         "this task has no variable 'v'");
  refuse(state.write("w", DType::Int32, 2, 8, eight), kInvalid,
         "variable 'w' is float32[2], but the value is int32[2]");
  refuse(state.write("w", DType::Float32, 3, 12, eight), kInvalid,
         "variable 'w' is float32[2], but the value is float32[3]");
  refuse(state.write("w", DType::Float32, -2, 8, eight), kInvalid,
         "the shape of 'w' is not one of a tensor");
  refuse(state.write("w", DType::Float32, 2, 12, eight), kInvalid,
         "variable 'w' is float32[2]");
  refuse(state.write("w", DType::Float32, 2, 8, eight + "y"), kInvalid,
         "a chunk of 'w'");
  refuse(state.write("flags", DType::Bool, 2, 2, "\x01\x02"),
         StatusCode::DataLoss, "element 1 of the bools in 'flags'");
  // The chunks of one value have one name.
  protocol::Request first = state.write("w", DType::Float32, 2, 8, "abcd");
  first.set_id(301);
  EXPECT_FALSE(state.ask(first).has_failure());
  protocol::Request second = state.write("v", DType::Float32, 2, 8, "efgh", 4);
  second.set_id(301);
  expectFailure(state.ask(second), kInvalid, "variable 'w' is float32[2]");
  EXPECT_EQ(state.valueOf("w"), before);
  EXPECT_FALSE(state
                   .ask(state.write("flags", DType::Bool, 2, 2,
                                    std::string("\x01\0", 2)))
                   .has_failure());
  EXPECT_EQ(state.valueOf("flags"), std::string("\x01\0", 2));
  expectFailure(state.ask(state.read("v")), StatusCode::NotFound,
                "this task has no variable 'v'; a client asks the task of the "
                "variable's device");
}

TEST(TaskState, OthersWaitForFirstValuesForAWhile) {
  State state;
  ClientId late = state.cluster.openConversation();
  protocol::Reply waiting = state.ask(state.initialized(false, 1000), 0, late);
  EXPECT_EQ(waiting.status(),
            "waits for the chief to give the variables their values");
  EXPECT_FALSE(state.ask(state.initialized(false, 2000)).last());
  protocol::Request waits;
  waits.mutable_waits();
  protocol::Reply list = state.ask(waits, 0, state.cluster.openConversation());
  ASSERT_EQ(list.waits().waits_size(), 2);
  EXPECT_EQ(list.waits().waits(1).kind(), "init");
  EXPECT_EQ(list.waits().waits(1).what(),
            "the chief to give the variables their values");
  state.pass(1010);
  expectFailure(state.answer(late), StatusCode::DeadlineExceeded,
                "the chief has not given the variables their values in time");
  EXPECT_FALSE(state.answer().last());
  // The values of another plan are not those.
  std::string plan = state.plan;
  test::ModelBuilder other = stateModel();
  other.addVariable("v", {DType::Float32, {}});
  other.variables.back().device = other.variables[0].device;
  state.plan = state.load(other);
  ClientId chief = state.cluster.openConversation();
  EXPECT_TRUE(state.ask(state.initialized(true), 0, chief).last());
  EXPECT_FALSE(state.answer().last());
  state.plan = plan;
  EXPECT_TRUE(state.ask(state.initialized(true), 0, chief).last());
  EXPECT_TRUE(state.answer().last());
  EXPECT_FALSE(state.answer().has_failure());
  // From now on nobody waits; a task without variables has none to wait for.
  EXPECT_TRUE(state.ask(state.initialized(false)).last());
  EXPECT_TRUE(state.ask(state.initialized(false), 1).last());
}

TEST(TaskState, WhoWaitsForFirstValuesLearnsOfMissingTasks) {
  State state;
  ClientId late = state.cluster.openConversation();
  const std::string waits =
      "waits for the chief to give the variables their values";
  const std::string missing =
      "; /job:worker/task:0 has no link to /job:worker/task:1";
  EXPECT_EQ(state.ask(state.initialized(false, 1000), 0, late).status(), waits);
  state.cluster.cutLink(0, 1);
  state.cluster.settle();
  EXPECT_EQ(state.answer(late).status(), waits + missing);
  state.cluster.mendLink(0, 1);
  state.cluster.settle();
  EXPECT_EQ(state.answer(late).status(), waits);
  state.cluster.cutLink(0, 1);
  ClientId later = state.cluster.openConversation();
  EXPECT_EQ(state.ask(state.initialized(false, 1000), 0, later).status(),
            waits + missing);
  state.pass(1010);
  expectFailure(state.answer(late), StatusCode::DeadlineExceeded,
                "the chief has not given the variables their values in time" +
                    missing);
}

/// updateModel() with two ps, and a worker that has been prepared.
struct Snapshots : PingConversation {
  Snapshots()
      : PingConversation({}, test::updateModel(1, format::Coordination::Async),
                         test::makeCluster(2, 1)) {}

  protocol::Reply ask(uint64_t number, int phase, TaskId task = 0,
                      ClientId from = 0) {
    protocol::Request request;
    request.mutable_snapshot()->set_plan(plan);
    request.mutable_snapshot()->mutable_id()->set_client(9);
    request.mutable_snapshot()->mutable_id()->set_number(number);
    request.mutable_snapshot()->set_phase(
        static_cast<protocol::Request::Snapshot::Phase>(phase));
    return PingConversation::ask(request, task, from);
  }
  protocol::Reply read(uint64_t number, int64_t deadline = 0,
                       ClientId from = 0) {
    protocol::Request request;
    request.set_deadline_ms(deadline);
    request.mutable_read()->set_plan(plan);
    request.mutable_read()->set_variable("w0");
    request.mutable_read()->mutable_snapshot()->set_client(9);
    request.mutable_read()->mutable_snapshot()->set_number(number);
    return PingConversation::ask(request, 0, from);
  }
};

constexpr int kArm = protocol::Request::Snapshot::ARM;
constexpr int kTake = protocol::Request::Snapshot::TAKE;
constexpr int kDrop = protocol::Request::Snapshot::DROP;

TEST(TaskState, SnapshotsAreFewAndTheirClients) {
  Snapshots snapshots;
  ClientId other = snapshots.cluster.openConversation();
  for (uint64_t number = 1; number <= 8; ++number)
    EXPECT_FALSE(snapshots.ask(number, kArm).has_failure()) << number;
  EXPECT_FALSE(snapshots.ask(8, kArm).has_failure()); // there already
  expectFailure(snapshots.ask(9, kArm), StatusCode::ResourceExhausted,
                "this task has 8 snapshots; wait until other clients have "
                "saved their variables");
  expectFailure(snapshots.ask(3, kDrop, 0, other), StatusCode::PermissionDenied,
                "the snapshot is another client's");
  expectFailure(snapshots.read(3, 0, other), StatusCode::NotFound,
                "this task has no such snapshot");
  expectFailure(snapshots.ask(3, 7), StatusCode::InvalidArgument,
                "a snapshot has no such phase");
  EXPECT_FALSE(snapshots.ask(3, kDrop).has_failure());
  EXPECT_FALSE(snapshots.ask(9, kArm, 0, other).has_failure());
  // A client that goes leaves none.
  snapshots.cluster.task(0).onClientGone(snapshots.client);
  for (uint64_t number = 10; number <= 16; ++number)
    EXPECT_FALSE(snapshots.ask(number, kArm).has_failure()) << number;
  EXPECT_TRUE(snapshots.ask(17, kArm).has_failure());
}

TEST(TaskState, ASnapshotIsReadOnceAndInTime) {
  Snapshots snapshots;
  expectFailure(snapshots.read(1), StatusCode::NotFound,
                "this task has no such snapshot");
  snapshots.ask(1, kArm);
  snapshots.ask(2, kArm);
  ClientId same = snapshots.client;
  snapshots.read(1, 1000);
  EXPECT_TRUE(snapshots.cluster.replies(same).empty());
  snapshots.pass(990);
  EXPECT_TRUE(snapshots.cluster.replies(same).empty());
  snapshots.pass(20);
  expectFailure(snapshots.answer(), StatusCode::DeadlineExceeded,
                "the updates before the snapshot have not been made in time");
  snapshots.read(2);
  // No worker has come yet: it is taken at once.
  EXPECT_FALSE(snapshots.ask(1, kTake).has_failure());
  snapshots.cluster.settle();
  EXPECT_FALSE(snapshots.answer().has_value()); // the second is not taken
  protocol::Reply reply = snapshots.read(1);
  EXPECT_FALSE(reply.has_failure()) << reply.ShortDebugString();
  snapshots.cluster.settle();
  EXPECT_EQ(snapshots.answer().value().data().size(), 4u);
  expectFailure(snapshots.read(1), StatusCode::NotFound,
                "the snapshot has no value of 'w0'; each is read once");
  // Not all who follow the order are there.
  snapshots.cluster.kill(1);
  expectFailure(snapshots.ask(2, kTake), StatusCode::Unavailable,
                "there is no link to /job:ps/task:1");
}

} // namespace
