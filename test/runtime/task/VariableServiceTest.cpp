// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of variables in chunks, and their copies between updates.
#include "runtime/task/plans/VariableService.h"

#include "runtime/format/PlanSlice.h"
#include "runtime/task/plans/SnapshotStore.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/FakeEnvironment.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

constexpr int64_t kLarge = 600'000; // floats, of three chunks

TaskOptions taskOptions() {
  TaskOptions options;
  options.cluster = makeCluster(0, 2);
  options.threads = 1;
  return options;
}

/// Variables w and large on task 0.
struct Variables {
  Variables() {
    ModelBuilder builder = pingModel(3);
    builder.addVariable("w", {DType::Float32, {1}});
    builder.addVariable("large", {DType::Float32, {kLarge}});
    for (auto &variable : builder.variables)
      variable.device = "/job:worker/replica:0/task:0/device:CPU:0";
    auto model = Model::fromBytes(builder.finish(), "test.bin");
    EXPECT_TRUE(model.isOk()) << model.status().toString();
    plan = planDigest(**model);
    EXPECT_TRUE(plans.add(*model, "", false, std::nullopt).isOk());
  }
  protocol::Request::Read read(const char *name) {
    protocol::Request::Read request;
    request.set_plan(plan);
    request.set_variable(name);
    return request;
  }
  protocol::Request::Write write(const char *name, uint64_t offset,
                                 const std::string &data, uint64_t total) {
    protocol::Request::Write request;
    request.set_plan(plan);
    protocol::Chunk &chunk = *request.mutable_value();
    chunk.set_name(name);
    chunk.set_dtype(static_cast<uint32_t>(DType::Float32));
    chunk.add_shape(static_cast<int64_t>(total / 4));
    chunk.set_offset(offset);
    chunk.set_total(total);
    chunk.set_data(data);
    return request;
  }

  TaskOptions options = taskOptions();
  FakeEnvironment environment;
  PlanStore plans{options, environment.host, environment.peers};
  OpenRequests requests{environment.clients, "/job:worker/task:0"};
  VariableService service{plans, requests, environment.clients};
  SnapshotStore snapshots{requests, service};
  std::string plan;
};

TEST(VariableService, WhatWasWrittenIsRead) {
  Variables all;
  ASSERT_TRUE(all.service.write({5, 1}, all.write("w", 0, "abcd", 4)).isOk());
  EXPECT_TRUE(all.environment.clients.last().last());
  EXPECT_FALSE(all.service.isWriting({5, 1}));
  ASSERT_TRUE(all.service.read({5, 2}, all.read("w")).isOk());
  EXPECT_TRUE(all.requests.isOpen({5, 2}));
  EXPECT_TRUE(all.service.pump());
  EXPECT_EQ(all.environment.clients.last().value().data(), "abcd");
  EXPECT_TRUE(all.environment.clients.last().last());
  EXPECT_FALSE(all.requests.isOpen({5, 2}));
  EXPECT_FALSE(all.service.pump());
}

TEST(VariableService, ChunksWaitForRoom) {
  Variables all;
  all.environment.clients.full = {5};
  ASSERT_TRUE(all.service.read({5, 1}, all.read("large")).isOk());
  EXPECT_FALSE(all.service.pump());
  all.environment.clients.full.clear();
  while (all.service.pump())
    ;
  ASSERT_EQ(all.environment.clients.sent.size(), 3u);
  size_t offset = 0;
  for (const auto &[client, reply] : all.environment.clients.sent) {
    EXPECT_EQ(reply.value().offset(), offset);
    offset += reply.value().data().size();
    EXPECT_EQ(reply.last(), offset == kLarge * 4);
  }
}

TEST(VariableService, AWriteIsOverWhenAChunkIsWrong) {
  Variables all;
  ASSERT_TRUE(all.service.write({5, 1}, all.write("w", 0, "ab", 4)).isOk());
  EXPECT_TRUE(all.service.isWriting({5, 1}));
  EXPECT_EQ(all.service.write({5, 1}, all.write("w", 3, "c", 4)).code(),
            StatusCode::InvalidArgument);
  EXPECT_FALSE(all.service.isWriting({5, 1}));
  EXPECT_EQ(all.service.write({5, 2}, all.write("w", 0, "ab", 8)).code(),
            StatusCode::InvalidArgument);
  EXPECT_EQ(all.service.write({5, 3}, all.write("none", 0, "ab", 4)).code(),
            StatusCode::NotFound);
}

TEST(VariableService, WhoHasGoneGetsNothing) {
  Variables all;
  ASSERT_TRUE(all.service.read({5, 1}, all.read("w")).isOk());
  ASSERT_TRUE(all.service.read({6, 1}, all.read("w")).isOk());
  ASSERT_TRUE(all.service.write({5, 2}, all.write("w", 0, "ab", 4)).isOk());
  all.service.dropClient(5);
  EXPECT_FALSE(all.service.isWriting({5, 2}));
  all.service.dropPlan(all.plan);
  EXPECT_FALSE(all.requests.isOpen({6, 1}));
  EXPECT_FALSE(all.service.pump());
  EXPECT_TRUE(all.environment.clients.sent.empty());
}

/// A snapshot with id (9, 1) of client 5.
struct Snapshots : Variables {
  Snapshots() { EXPECT_TRUE(snapshots.arm(id, 5, state()).isOk()); }
  PlanState &state() { return **plans.use(plan); }
  protocol::Request::Read readCopy(const char *name) {
    protocol::Request::Read request = read(name);
    request.mutable_snapshot()->set_client(id.client);
    request.mutable_snapshot()->set_number(id.number);
    return request;
  }
  void set(const std::string &value) {
    EXPECT_TRUE(
        state().writeVariable("w", std::as_bytes(std::span(value))).isOk());
  }
  const RunKey id{9, 1};
};

TEST(SnapshotStore, KeepsWhatWasThereAtTheFence) {
  Snapshots all;
  all.set("then");
  all.snapshots.take(all.state(), all.id);
  all.set("now!");
  all.snapshots.take(all.state(), all.id); // once
  ASSERT_TRUE(all.snapshots.read({5, 1}, all.readCopy("w"), INT64_MAX).isOk());
  all.service.pump();
  EXPECT_EQ(all.environment.clients.last().value().data(), "then");
  EXPECT_EQ(all.snapshots.read({5, 2}, all.readCopy("w"), INT64_MAX).code(),
            StatusCode::NotFound); // each is read once
}

TEST(SnapshotStore, ReadsWaitForTheFence) {
  Snapshots all;
  ASSERT_TRUE(all.snapshots.read({5, 1}, all.readCopy("w"), 700).isOk());
  ASSERT_TRUE(all.snapshots.read({5, 2}, all.readCopy("w"), 900).isOk());
  EXPECT_EQ(all.snapshots.nextDeadline(), 700);
  all.snapshots.expire(700);
  EXPECT_EQ(all.environment.clients.last().id(), 1u);
  EXPECT_EQ(all.environment.clients.last().failure().code(),
            static_cast<int>(StatusCode::DeadlineExceeded));
  all.set("then");
  all.snapshots.take(all.state(), all.id);
  EXPECT_EQ(all.snapshots.nextDeadline(), INT64_MAX);
  all.service.pump();
  EXPECT_EQ(all.environment.clients.last().id(), 2u);
  EXPECT_EQ(all.environment.clients.last().value().data(), "then");
}

TEST(SnapshotStore, BelongsToItsClient) {
  Snapshots all;
  EXPECT_TRUE(all.snapshots.checkOwner(all.id, 5).isOk());
  EXPECT_EQ(all.snapshots.checkOwner(all.id, 6).code(),
            StatusCode::PermissionDenied);
  EXPECT_TRUE(all.snapshots.checkOwner({9, 2}, 6).isOk());
  EXPECT_EQ(all.snapshots.read({6, 1}, all.readCopy("w"), INT64_MAX).code(),
            StatusCode::NotFound);
  all.snapshots.dropClient(5);
  EXPECT_TRUE(all.snapshots.checkOwner(all.id, 6).isOk());
}

TEST(SnapshotStore, EightAreKept) {
  Snapshots all;
  for (uint64_t number = 2; number <= 8; ++number)
    EXPECT_TRUE(all.snapshots.arm({9, number}, 5, all.state()).isOk());
  EXPECT_EQ(all.snapshots.arm({9, 9}, 5, all.state()).code(),
            StatusCode::ResourceExhausted);
  EXPECT_TRUE(all.snapshots.arm(all.id, 5, all.state()).isOk()); // again
  all.snapshots.drop({9, 8});
  EXPECT_TRUE(all.snapshots.arm({9, 9}, 5, all.state()).isOk());
}

} // namespace
