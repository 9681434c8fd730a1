// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing that a peer or a client sends makes a task crash, hang or keep
// memory, and what it breaks is only its own.
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <gtest/gtest.h>

using namespace graphc;
using namespace graphc::runtime;
using test::DirectCluster;

namespace {

constexpr size_t kMaxPart = 1 << 20;

class Fuzz {
public:
  explicit Fuzz(uint64_t seed)
      : random(seed), cluster({test::makeCluster(2, 2), seed, seed % 2 == 0,
                               [](TaskOptions &task) {
                                 task.mostRuns = 16;
                                 task.mostPartBytes = kMaxPart;
                               }}),
        model(test::updateModel(2, format::Coordination::Quorum, 2)) {
    ClientOptions options;
    options.worker = 0;
    good = &cluster.addClient(model, options);
    good->beginOpen();
    EXPECT_TRUE(cluster.finish(*good).isOk()) << good->result().toString();
    good->beginInitialize();
    EXPECT_TRUE(cluster.finish(*good).isOk());
    protocol::Request describe;
    describe.set_id(1);
    describe.mutable_describe();
    ClientId probe = cluster.openConversation();
    cluster.send(probe, 0, describe);
    plan = cluster.replies(probe).front().description().plans(0);
    bad = cluster.openConversation();
  }

  /// A run of another client, which may well end by what comes.
  void keepGoing() {
    if (good->isBusy())
      return;
    ++goodRun;
    good->beginRun({"train", {}, {}, 1000, false, {}},
                   [](uint64_t, auto) { return true; });
    cluster.runUntil([] { return false; }, 60 + int(random() % 40));
  }

  uint64_t pick(std::initializer_list<uint64_t> values) {
    return *(values.begin() + random() % values.size());
  }
  uint64_t number() {
    return pick({0, 1, 2, 3, 4, 5, 64, UINT32_MAX, 1ull << 31, UINT64_MAX, 1001,
                 random()});
  }
  std::string text() {
    static const char *const texts[] = {
        "",  "train@0", "train@1", "init", "train/apply", "w0",
        "w", "seen0",   "v3",      "\x01", "none"};
    return random() % 4 ? texts[random() % std::size(texts)] : plan;
  }

  void frame() {
    FrameHeader header;
    header.kind = static_cast<FrameKind>(random() % 10);
    header.runClient = pick({0, 1001, 77, number()});
    header.runNumber = pick({0, 1, 2, 3, number()});
    header.step = number();
    header.graph = static_cast<uint32_t>(number());
    header.edge = static_cast<uint32_t>(number());
    header.replica = static_cast<uint32_t>(number());
    header.part = static_cast<uint32_t>(number());
    header.offset = number();
    header.total = pick({4, 8, number()});
    if (random() % 2) { // nearly a frame of the run that goes
      header.runClient = 1001;
      header.runNumber = goodRun;
      header.step = random() % 3;
      header.graph = 1;
      header.edge = random() % 5;
      header.offset = 0;
      header.total = 4;
    }
    test::Bytes payload(random() % 3 ? random() % 9 : 4);
    header.size = static_cast<uint32_t>(payload.size());
    uint32_t to = random() % 4;
    cluster.sendFrame(static_cast<TaskId>(random() % 6), to, header, payload);
  }

  protocol::Chunk chunk() {
    protocol::Chunk chunk;
    chunk.set_name(text());
    chunk.set_dtype(static_cast<uint32_t>(pick({4, 4, number()})));
    for (uint64_t i = random() % 3; i > 0; --i)
      chunk.add_shape(static_cast<int64_t>(number()));
    chunk.set_offset(pick({0, number()}));
    chunk.set_total(pick({4, 64, number()}));
    chunk.set_data(std::string(random() % 2 ? 4 : random() % 70, 'x'));
    return chunk;
  }

  void request() {
    protocol::Request request;
    request.set_id(pick({1, 2, 3, random() % 1000}));
    request.set_deadline_ms(number());
    protocol::RunId run;
    run.set_client(pick({77, 1001, number()}));
    run.set_number(pick({1, 2, number()}));
    switch (random() % 13) {
    case 0:
      request.mutable_load()->set_plan(text());
      request.mutable_load()->set_cpu_level(text());
      *request.mutable_load()->mutable_part() = chunk();
      break;
    case 1:
      request.mutable_bind()->set_plan(plan);
      request.mutable_bind()->set_dataset(text());
      request.mutable_bind()->set_files(text());
      break;
    case 2:
      request.mutable_initialized()->set_plan(text());
      break;
    case 3:
    case 4:
    case 5: {
      auto &prepare = *request.mutable_prepare();
      prepare.set_plan(random() % 4 ? plan : text());
      *prepare.mutable_run() = run;
      prepare.set_graph(text());
      prepare.set_nan_policy(static_cast<uint32_t>(pick({0, 2, number()})));
      prepare.set_more_feeds(random() % 4 == 0);
      prepare.set_stall_ms(number());
      if (random() % 2)
        prepare.add_fetches(text());
      if (random() % 2)
        *prepare.add_feeds() = chunk();
      break;
    }
    case 6:
    case 7:
      *request.mutable_go()->mutable_run() = run;
      request.mutable_go()->set_first_step(number());
      request.mutable_go()->set_steps(number());
      if (random() % 4 == 0)
        *request.mutable_go()->add_feeds() = chunk();
      break;
    case 8:
      *request.mutable_abort()->mutable_run() = run;
      request.mutable_abort()->mutable_cause()->set_code(
          static_cast<int32_t>(number()));
      break;
    case 9:
      request.mutable_read()->set_plan(plan);
      request.mutable_read()->set_variable(text());
      if (random() % 2)
        *request.mutable_read()->mutable_snapshot() = run;
      break;
    case 10:
      request.mutable_write()->set_plan(text());
      *request.mutable_write()->mutable_value() = chunk();
      break;
    case 11: {
      auto &snapshot = *request.mutable_snapshot();
      snapshot.set_plan(random() % 4 ? plan : text());
      *snapshot.mutable_id() = run;
      snapshot.set_phase(
          static_cast<protocol::Request::Snapshot::Phase>(random() % 7));
      while (random() % 2) {
        auto &tensor = *snapshot.add_tensors();
        tensor.set_name(text());
        while (random() % 2)
          tensor.add_parts(text());
      }
      break;
    }
    default:
      *request.mutable_release()->mutable_run() = run;
    }
    cluster.send(bad, random() % 4, request);
  }

  std::mt19937_64 random;
  DirectCluster cluster;
  test::ModelBuilder model;
  ClientMachine *good;
  uint64_t goodRun = 1; ///< "init"
  ClientId bad;
  std::string plan;
};

TEST(TaskFuzz, AnyFramesAndRequests) {
  int prepared = 0, ended = 0, values = 0, failures = 0, broken = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Fuzz fuzz(seed);
    for (int i = 0; i < 3000; ++i) {
      fuzz.keepGoing();
      if (fuzz.random() % 2)
        fuzz.frame();
      else
        fuzz.request();
      if (fuzz.random() % 4 == 0)
        fuzz.cluster.turn();
      if (fuzz.random() % 500 == 0)
        fuzz.cluster.runUntil([] { return false; }, 20);
    }
    for (const protocol::Reply &reply : fuzz.cluster.replies(fuzz.bad)) {
      prepared += reply.has_prepared();
      ended += reply.has_ended();
      values += reply.has_value();
      failures += reply.has_failure();
    }
    broken += fuzz.cluster.log.find("broke the protocol") != std::string::npos;
    // The client's conversation ends, and with it all that it asked for.
    for (TaskId task = 0; task < 4; ++task)
      fuzz.cluster.task(task).onClientGone(fuzz.bad);
    fuzz.cluster.removeClient(*fuzz.good);
    fuzz.cluster.settle();
    EXPECT_EQ(fuzz.cluster.residue().earlyBytes, 0u) << seed;
    EXPECT_EQ(fuzz.cluster.residue().sharedPlaces, 0u) << seed;
    for (TaskId task = 0; task < 4; ++task) {
      EXPECT_EQ(fuzz.cluster.task(task).residue().runs, 0u) << seed;
      EXPECT_EQ(fuzz.cluster.task(task).waits().waits_size(), 0);
    }
  }
  // It got somewhere.
  EXPECT_GT(prepared, 5);
  EXPECT_GT(ended, 5);
  EXPECT_GT(values, 5);
  EXPECT_GT(failures, 5);
  EXPECT_GT(broken, 3);
}

TEST(TaskFuzz, FramesOfAPeerThatBreaksTheProtocolEndTheRunWithItsName) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    DirectCluster cluster({test::makeCluster(0, 2), seed, false, {}});
    ClientMachine &client = cluster.addClient(test::pingModel(3));
    client.beginOpen();
    ASSERT_TRUE(cluster.finish(client).isOk());
    std::vector<float> x = {1, 2, 3};
    client.beginRun(
        {"ping",
         {{"x", HostTensor::of<float>({3}, std::span<const float>(x))}},
         {"y"},
         100'000,
         false,
         {}},
        [](uint64_t, auto) { return true; });
    uint64_t end = cluster.turns() + 100 + seed;
    cluster.runUntil([&] { return cluster.turns() >= end; });
    FrameHeader header; // of worker 1's edge, but of an impossible step
    header.kind = FrameKind::Data;
    header.runClient = 1001;
    header.runNumber = 1;
    header.step = 1'000'000;
    header.edge = 1;
    header.total = 12;
    header.size = 12;
    cluster.sendFrame(1, 0, header, test::Bytes(12));
    Status status = cluster.finish(client);
    EXPECT_EQ(status.code(), StatusCode::Internal) << status.toString();
    EXPECT_NE(status.message().find("/job:worker/task:1 broke the protocol: "
                                    "its frame is of step 1000001"),
              std::string::npos)
        << status.message();
    cluster.settle();
    EXPECT_EQ(cluster.residue().runs, 0u);
  }
}

} // namespace
