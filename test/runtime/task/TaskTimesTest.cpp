// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests when a task gives up waiting, its reports of waits meanwhile, and
// invalid frames of peers.
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/format/FileHeader.h"
#include "test/runtime/task/PingConversation.h"

using namespace graphc;
using namespace graphc::runtime;
using test::DirectCluster;
using test::expectFailure;
using test::PingConversation;

namespace {

protocol::Reply::Wait onlyWait(PingConversation &talk) {
  protocol::Request request;
  request.mutable_waits();
  protocol::Reply reply = talk.ask(request, 0, talk.cluster.openConversation());
  EXPECT_EQ(reply.waits().waits_size(), 1);
  return reply.waits().waits_size() > 0 ? reply.waits().waits(0)
                                        : protocol::Reply::Wait();
}

TEST(TaskTimes, ARunWaitsForItsPeersForAWhile) {
  for (int64_t deadline : {500, 0}) {
    PingConversation talk(
        [](TaskOptions &task) { task.connectNanos = 2'000'000'000; });
    talk.cluster.kill(1);
    protocol::Request request = talk.preparePing(1);
    request.set_deadline_ms(deadline);
    EXPECT_EQ(talk.ask(request).status(), "waits for /job:worker/task:1");
    protocol::Reply::Wait wait = onlyWait(talk);
    EXPECT_EQ(wait.kind(), "peer");
    EXPECT_EQ(wait.what(), "a link to /job:worker/task:1");
    EXPECT_EQ(wait.awaited_task(), "/job:worker/task:1");
    EXPECT_EQ(talk.cluster.task(0).nextTimer(),
              talk.cluster.now() + (deadline ? 500 : 2000) * 1'000'000);
    int64_t end = talk.cluster.task(0).nextTimer();
    talk.cluster.clock = end - 1;
    talk.cluster.task(0).onTimer();
    EXPECT_FALSE(talk.answer().last());
    talk.cluster.clock = end;
    talk.cluster.task(0).onTimer();
    expectFailure(talk.answer(), StatusCode::Unavailable,
                  "graph 'ping' needs links to /job:worker/task:1, which did "
                  "not answer in time");
    EXPECT_EQ(talk.cluster.residue().runs, 0u);
    EXPECT_EQ(talk.cluster.task(0).nextTimer(), INT64_MAX);
  }
}

TEST(TaskTimes, APeerThatComesLetsARunGo) {
  PingConversation talk;
  talk.cluster.kill(1);
  EXPECT_FALSE(talk.ask(talk.preparePing(1)).has_prepared());
  talk.cluster.restart(1);
  EXPECT_TRUE(talk.answer().has_prepared());
}

TEST(TaskTimes, AStepThatWaitsTooLongFails) {
  PingConversation talk;
  protocol::Request request = talk.preparePing(1);
  request.mutable_prepare()->set_stall_ms(3000);
  talk.ask(request);
  talk.ask(talk.go(1, 4, 1));
  talk.cluster.settle();
  int64_t begin = talk.cluster.now();
  protocol::Reply::Wait wait = onlyWait(talk);
  EXPECT_EQ(wait.kind(), "edge");
  EXPECT_EQ(wait.task(), "/job:worker/task:0");
  EXPECT_EQ(wait.run().number(), 1u);
  EXPECT_EQ(wait.graph(), "ping");
  EXPECT_EQ(wait.step(), 5u);
  EXPECT_EQ(wait.edge(), "back");
  EXPECT_EQ(wait.what(), "edge 'back' from /job:worker/task:1");
  EXPECT_EQ(wait.awaited_task(), "/job:worker/task:1");
  EXPECT_EQ(wait.location().substr(0, 12), "test.tfir:7:");
  talk.pass(2980);
  EXPECT_FALSE(talk.answer().last());
  EXPECT_GE(onlyWait(talk).since_ms(), 2900);
  talk.pass(30);
  expectFailure(talk.answer(), StatusCode::DeadlineExceeded,
                "no progress for 3 s: step 5 of graph 'ping' waited for edge "
                "'back' (test.tfir:7:");
  EXPECT_EQ(talk.answer().failure().step(), 5u);
  EXPECT_EQ(talk.answer().failure().edge().substr(0, 6), "back (");
  EXPECT_GE(talk.cluster.now() - begin, 2'980'000'000);
}

/// Any thread may ask what is waited for, from a moment after nothing happens.
TEST(TaskTimes, WaitsThatLastArePublished) {
  PingConversation talk;
  talk.ask(talk.preparePing(1));
  talk.ask(talk.go(1, 0, 1));
  talk.cluster.settle();
  auto count = [&] { return talk.cluster.task(0).waits().waits_size(); };
  EXPECT_EQ(count(), 0);
  int64_t idle = talk.cluster.now();
  EXPECT_LE(talk.cluster.task(0).nextTimer(), idle + 50'000'000);
  EXPECT_GT(talk.cluster.task(0).nextTimer(), idle + 49'000'000);
  talk.cluster.clock = talk.cluster.task(0).nextTimer() - 1;
  talk.cluster.task(0).onTimer();
  EXPECT_EQ(count(), 0);
  talk.cluster.clock += 1;
  talk.cluster.task(0).onTimer();
  ASSERT_EQ(count(), 1);
  EXPECT_EQ(talk.cluster.task(0).waits().waits(0).kind(), "edge");
  // Whatever happens makes them old.
  talk.ask(talk.attach("alone"));
  EXPECT_EQ(count(), 0);
}

TEST(TaskTimes, ATaskSaysWhatItIs) {
  DirectCluster cluster(
      {test::makeCluster(0, 2), 1, false, [](TaskOptions &it) {
         it.allowedPlans = {std::string("one"), "two"};
         it.incarnation = 77 + it.self;
         it.cpuLevel = CpuLevel::V3;
       }});
  cluster.clock += 3'000'000'000;
  protocol::Reply::Description text = cluster.task(1).describe("any");
  EXPECT_EQ(text.task(), "/job:worker/task:1");
  EXPECT_EQ(text.incarnation(), 78u);
  EXPECT_EQ(text.up_ms(), 3000);
  EXPECT_EQ(text.clock_ms(), 4000);
  EXPECT_EQ(text.protocol(), kProtocolVersion);
  EXPECT_EQ(text.format_major(), format::kFormatMajor);
  EXPECT_EQ(text.format_minor(), format::kFormatMinor);
  EXPECT_EQ(text.cpu_level(), "x86-64-v3");
  EXPECT_EQ(text.devices_size(), 1);
  EXPECT_FALSE(text.host().empty());
  EXPECT_GT(text.memory_bytes(), 1'000'000u);
  ASSERT_EQ(text.addresses_size(), 2);
  EXPECT_EQ(text.addresses(0), "/job:worker/task:0=worker0:1");
  EXPECT_FALSE(text.plan_allowed());
  ASSERT_EQ(text.allowed_size(), 2);
  EXPECT_EQ(text.allowed(1), "two");
  EXPECT_FALSE(text.has_plan());
}

TEST(TaskTimes, ATaskSaysHowFarAPlanIs) {
  PingConversation talk;
  protocol::Reply::Description text = talk.cluster.task(0).describe("other");
  EXPECT_TRUE(text.plan_allowed());
  EXPECT_FALSE(text.has_plan());
  ASSERT_EQ(text.plans_size(), 1);
  EXPECT_EQ(text.plans(0), talk.plan);
  talk.ask(talk.prepare(1, "alone"));
  talk.ask(talk.go(1, 0, 6));
  talk.cluster.settle();
  protocol::Request request;
  request.mutable_describe()->set_plan(talk.plan);
  text = talk.ask(request).description();
  EXPECT_TRUE(text.has_plan());
  EXPECT_TRUE(text.initialized()); // it has no variables
  EXPECT_FALSE(text.told());
  EXPECT_EQ(text.next_steps().size(), 1u); // not of "ping"
  EXPECT_EQ(text.next_steps().at("alone"), 6u);
}

/// A run of worker 0 that waits for a value of worker 1: edge 0 leaves, edge 1
/// comes, 12 bytes each.
struct Frames : PingConversation {
  Frames() {
    ask(preparePing(1));
    ask(go(1, 0, 2));
    cluster.settle();
    cluster.replies(client).clear();
  }
  FrameHeader data(uint64_t step, uint64_t offset, uint64_t total) {
    FrameHeader header;
    header.runClient = 5;
    header.runNumber = 1;
    header.edge = 1;
    header.step = step;
    header.offset = offset;
    header.total = total;
    return header;
  }
  void send(FrameHeader header, size_t bytes, TaskId from = 1) {
    header.size = static_cast<uint32_t>(bytes);
    cluster.sendFrame(from, 0, header, test::Bytes(bytes));
    cluster.settle();
  }
};

TEST(TaskTimes, FramesThatCannotBeRightEndTheRun) {
  struct Case {
    std::function<void(FrameHeader &)> change;
    size_t bytes;
    const char *text;
  };
  const Case cases[] = {
      {[](FrameHeader &it) { it.graph = 1; }, 12, "its frame is of graph 1"},
      {[](FrameHeader &it) { it.step = 1ull << 63; }, 12,
       "its frame is of an impossible step"},
      {[](FrameHeader &it) { it.edge = 0; }, 12,
       "its frame is of edge 0, which does not lead from there to here"},
      {[](FrameHeader &it) { it.edge = 2; }, 12,
       "its frame is of edge 2, which does not lead"},
      {[](FrameHeader &it) { it.step = 2; }, 12,
       "its frame is of step 3, while this task is at step 1"},
      {[](FrameHeader &it) { it.total = 11; }, 11,
       "its frame has bytes 0 to 11 of 11 for a value of 12 bytes, of which 0 "
       "have come before"},
      {[](FrameHeader &it) { it.offset = 4; }, 8,
       "its frame has bytes 4 to 12 of 12"},
      {[](FrameHeader &it) {}, 13, "its frame has bytes 0 to 13 of 12"},
      {[](FrameHeader &it) {}, 0, "its frame has bytes 0 to 0 of 12"},
      {[](FrameHeader &it) { it.kind = FrameKind::InPlace; }, 0,
       "it says that edge 1 is in its place, which it cannot be"},
      {[](FrameHeader &it) { it.kind = FrameKind::ReceiveBuffer; }, 0,
       "it gives a buffer for edge 1, which it does not receive"},
      {[](FrameHeader &it) { it.kind = FrameKind::ReceiveBuffer, it.edge = 2; },
       0, "it gives a buffer for edge 2, which it does not receive"},
      {[](FrameHeader &it) { it.kind = FrameKind::RemoteRead, it.edge = 0; }, 0,
       "it reads edge 0, which is not exposed to it"},
      {[](FrameHeader &it) { it.kind = FrameKind::RemoteRead, it.edge = 2; }, 0,
       "it reads edge 2, which is not exposed to it"},
      {[](FrameHeader &it) { it.kind = FrameKind::Begun, it.step = 2; }, 0,
       "it has begun step 3, while this task is at step 1"}};
  for (const Case &each : cases) {
    Frames frames;
    FrameHeader header = frames.data(0, 0, 12);
    each.change(header);
    frames.send(header, each.bytes);
    expectFailure(frames.answer(), StatusCode::Internal,
                  "/job:worker/task:1 broke the protocol: " +
                      std::string(each.text));
    EXPECT_EQ(frames.answer().failure().task(), "/job:worker/task:0");
    EXPECT_NE(frames.cluster.log.find(each.text), std::string::npos);
  }
}

TEST(TaskTimes, FramesThatAreRightMayComeEarlyAndInChunks) {
  Frames frames;
  frames.send(frames.data(1, 0, 12), 12); // of the step after this
  EXPECT_EQ(frames.cluster.residue().earlyBytes, 12u);
  frames.send(frames.data(0, 0, 12), 4);
  frames.send(frames.data(0, 4, 12), 8);
  EXPECT_EQ(frames.cluster.residue().earlyBytes, 0u);
  protocol::Reply reply = frames.answer();
  EXPECT_TRUE(reply.last());
  EXPECT_FALSE(reply.has_failure()) << reply.ShortDebugString();
  EXPECT_EQ(reply.ended().steps(), 2u);
  // Frames of no task, of oneself, of other runs and after the end mean
  // nothing.
  frames.send(frames.data(0, 0, 12), 12, 0);
  frames.send(frames.data(0, 0, 12), 12, 2);
  FrameHeader other = frames.data(0, 0, 12);
  other.runNumber = 2;
  frames.send(other, 12);
  EXPECT_FALSE(frames.ask(frames.go(1, 2, 1)).has_failure());
}

TEST(TaskTimes, ValuesThatComeTwiceEndTheRun) {
  Frames frames;
  frames.send(frames.data(1, 0, 12), 12);
  frames.send(frames.data(1, 0, 12), 12);
  expectFailure(frames.answer(), StatusCode::Internal,
                "bytes 0 to 12 of 12 for a value of 12 bytes, of which 12 have "
                "come before");
}

TEST(TaskTimes, UnknownFramesAreLoggedOnce) {
  Frames frames;
  FrameHeader header = frames.data(0, 0, 12);
  header.kind = static_cast<FrameKind>(10);
  for (int i = 0; i < 3; ++i)
    frames.send(header, 12);
  const std::string text = "/job:worker/task:1 sent a frame of no known kind";
  size_t at = frames.cluster.log.find(text);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(frames.cluster.log.find(text, at + 1), std::string::npos);
  EXPECT_TRUE(frames.cluster.replies(frames.client).empty());
}

TEST(TaskTimes, PeersAndClientBeginWithTheSameStep) {
  PingConversation talk;
  talk.ask(talk.preparePing(1));
  FrameHeader header;
  header.runClient = 5;
  header.runNumber = 1;
  header.edge = 1;
  header.step = 3;
  header.total = 12;
  header.size = 12;
  talk.cluster.sendFrame(1, 0, header, test::Bytes(12));
  expectFailure(talk.ask(talk.go(1, 0, 1)), StatusCode::Internal,
                "a peer has begun with step 4, but the client with step 1");
  EXPECT_FALSE(talk.ask(talk.go(1, 3, 1)).has_failure());
  talk.cluster.settle();
  EXPECT_EQ(talk.answer().ended().steps(), 1u)
      << talk.answer().ShortDebugString();
}

TEST(TaskTimes, APeerThatDoesNotKnowTheRunIsAnswered) {
  Frames frames;
  frames.cluster.framesSent.clear();
  FrameHeader failed;
  failed.kind = FrameKind::RunFailed;
  failed.runClient = 5;
  failed.runNumber = 9;
  frames.send(failed, 0);
  EXPECT_EQ(frames.cluster.framesSent[FrameKind::RunFailed], 1);
  failed.total = 1; // an answer
  frames.send(failed, 0);
  EXPECT_EQ(frames.cluster.framesSent[FrameKind::RunFailed], 1);
  failed.total = 0;
  failed.runNumber = 1;
  frames.send(failed, 0);
  expectFailure(frames.answer(), StatusCode::Aborted,
                "/job:worker/task:1 does not know the run any more");
}

TEST(TaskTimes, PeersOfATaskWhoseClientHasGoneKnowIt) {
  PingConversation talk;
  ClientId other = talk.cluster.openConversation();
  talk.ask(talk.prepare(1, "ping"), 1, other);
  talk.ask(talk.go(1, 0, 9), 1, other);
  talk.ask(talk.preparePing(1));
  protocol::Request go = talk.go(1, 0, 9);
  talk.ask(go);
  talk.cluster.task(1).onClientGone(other);
  talk.cluster.settle();
  expectFailure(talk.answer(), StatusCode::Cancelled, "the client has gone");
  EXPECT_EQ(talk.answer().failure().task(), "/job:worker/task:1");
  EXPECT_EQ(talk.cluster.task(1).residue().runs, 0u);
}

} // namespace
