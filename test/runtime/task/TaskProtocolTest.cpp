// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests a task's replies to requests that do not fit, or not now, and what
// these leave.
#include "test/runtime/task/PingConversation.h"

using namespace graphc;
using namespace graphc::runtime;
using test::expectFailure;
using test::PingConversation;

namespace {

TEST(TaskProtocol, WhatCannotBePreparedIsRefused) {
  PingConversation talk;
  using Prepare = protocol::Request::Prepare;
  struct Case {
    std::function<void(Prepare &)> change;
    StatusCode code;
    const char *text;
  };
  constexpr auto kInvalid = StatusCode::InvalidArgument;
  const Case cases[] = {
      {[](Prepare &it) { it.mutable_run()->set_client(0); }, kInvalid,
       "a run has an id of its own, which is not 0"},
      {[](Prepare &it) { it.mutable_run()->set_number(0); }, kInvalid,
       "a run has an id of its own, which is not 0"},
      {[](Prepare &it) { it.set_plan("1234"); }, StatusCode::NotFound,
       "plan '1234' is not loaded at this task; open the cluster again"},
      {[](Prepare &it) { it.set_graph("pong"); }, StatusCode::NotFound,
       "'ping'"},
      {[](Prepare &it) { it.set_nan_policy(99); }, kInvalid,
       "there is no policy for NaN with number 99"},
      {[](Prepare &it) { it.add_fetches("half"); }, kInvalid,
       "fetch 'half' is made at another task"},
      {[](Prepare &it) { it.add_fetches("z"); }, StatusCode::NotFound, "'z'"},
      {[](Prepare &it) { it.mutable_feeds(0)->set_name("z"); },
       StatusCode::NotFound, "'z'"},
      {[](Prepare &it) { it.mutable_feeds(0)->set_dtype(2); }, kInvalid,
       "feed 'x' is float32[3] for one task, but int32[3] came here"},
      {[](Prepare &it) { it.mutable_feeds(0)->set_dtype(99); }, kInvalid,
       "the type of 'x' is not one of this version"},
      {[](Prepare &it) { it.clear_feeds(); }, kInvalid,
       "feed 'x' of graph 'ping' has no value"}};
  for (const Case &each : cases) {
    protocol::Request request = talk.preparePing(1);
    each.change(*request.mutable_prepare());
    expectFailure(talk.ask(request), each.code, each.text);
    EXPECT_EQ(talk.cluster.residue().runs, 0u) << each.text;
  }
  expectFailure(talk.ask(talk.prepare(1, "alone"), 1), kInvalid,
                "graph 'alone' has no program at this task");
  // Its feed is another task's.
  expectFailure(talk.ask(talk.preparePing(1), 1), kInvalid,
                "feed 'x' is float32[3] for one task");
  // What was refused does not stand in the way of what fits; the id is used.
  protocol::Reply reply = talk.ask(talk.preparePing(1));
  EXPECT_FALSE(reply.has_failure()) << reply.ShortDebugString();
  EXPECT_TRUE(reply.last());
  EXPECT_EQ(reply.prepared().steps_available(), -1);
  EXPECT_EQ(reply.prepared().next_step(), 0u);
  ASSERT_EQ(reply.prepared().in_flight_size(), 1);
  EXPECT_EQ(reply.prepared().in_flight(0), 2 * 12u);
  EXPECT_EQ(talk.cluster.residue().runs, 1u);
  expectFailure(talk.ask(talk.preparePing(1)), kInvalid,
                "a run has an id of its own");
  EXPECT_EQ(talk.cluster.residue().runs, 1u);
}

TEST(TaskProtocol, ARunGoesFromItsNextStepOn) {
  PingConversation talk;
  protocol::Request prepare = talk.prepare(1, "alone");
  prepare.mutable_prepare()->add_fetches("four");
  protocol::Reply prepared = talk.ask(prepare);
  ASSERT_EQ(prepared.prepared().sizes_size(), 1);
  EXPECT_EQ(prepared.prepared().sizes(0), 4u);
  EXPECT_EQ(prepared.prepared().fetches(0), "four");
  expectFailure(talk.ask(talk.go(2, 0, 1)), StatusCode::NotFound,
                "the run is not prepared at this task");
  expectFailure(talk.ask(talk.go(1, 0, 1), 0, talk.cluster.openConversation()),
                StatusCode::NotFound, "the run is not prepared at this task");
  expectFailure(talk.ask(talk.go(1, 7, 0)), StatusCode::InvalidArgument,
                "not from 7 for 0 steps");
  expectFailure(talk.ask(talk.go(1, 1ull << 63, 1)),
                StatusCode::InvalidArgument, "a run goes for at least one");
  expectFailure(talk.ask(talk.go(1, 0, 1ull << 63)),
                StatusCode::InvalidArgument, "a run goes for at least one");
  talk.ask(talk.go(1, 3, 2)); // where nobody was before, it may begin
  expectFailure(talk.ask(talk.go(1, 5, 1)), StatusCode::FailedPrecondition,
                "the run is not ready to go, or goes already");
  talk.cluster.replies(talk.client).clear();
  talk.cluster.settle();
  protocol::Reply reply = talk.answer();
  EXPECT_TRUE(reply.last());
  EXPECT_EQ(reply.results().first_step(), 3u);
  EXPECT_EQ(reply.results().steps(), 2u);
  EXPECT_EQ(reply.results().ended().steps(), 2u);
  EXPECT_EQ(reply.results().ended().run().number(), 1u);
  EXPECT_FALSE(reply.results().ended().end_of_data());
  for (uint64_t wrong : {4, 6})
    expectFailure(talk.ask(talk.go(1, wrong, 1)), StatusCode::InvalidArgument,
                  "the run's next step is 6, not " + std::to_string(wrong + 1));
  EXPECT_FALSE(talk.ask(talk.go(1, 5, 1)).has_failure());
  talk.cluster.settle();
  EXPECT_EQ(talk.answer().results().first_step(), 5u);
  // Another run of the graph learns how far it is.
  EXPECT_EQ(talk.ask(talk.prepare(2, "alone")).prepared().next_step(), 6u);
}

TEST(TaskProtocol, AGoMayBringOtherFeedsOfOneChunkEach) {
  PingConversation talk;
  talk.ask(talk.preparePing(1));
  protocol::Request request = talk.go(1, 0, 1);
  *request.mutable_go()->add_feeds() = talk.preparePing(1).prepare().feeds(0);
  protocol::Chunk &chunk = *request.mutable_go()->mutable_feeds(0);
  chunk.set_data(std::string(8, 0));
  expectFailure(talk.ask(request), StatusCode::InvalidArgument,
                "feeds of several chunks come before a run goes");
  chunk.set_data(std::string(4, 0));
  chunk.set_offset(8);
  expectFailure(talk.ask(request), StatusCode::InvalidArgument,
                "feeds of several chunks come before a run goes");
  chunk.set_offset(0);
  chunk.set_data(std::string(12, 0));
  chunk.set_dtype(2);
  expectFailure(talk.ask(request), StatusCode::InvalidArgument, "int32[3]");
  chunk.set_dtype(4);
  EXPECT_FALSE(talk.ask(request).has_failure());
}

TEST(TaskProtocol, RunsEndByTheirOwnClientOnly) {
  for (bool isAbort : {true, false}) {
    PingConversation talk;
    ClientId other = talk.cluster.openConversation();
    auto end = [&](uint64_t number, ClientId from) {
      protocol::Request request;
      protocol::RunId &id = isAbort ? *request.mutable_abort()->mutable_run()
                                    : *request.mutable_release()->mutable_run();
      id.set_client(5);
      id.set_number(number);
      return talk.ask(request, 0, from);
    };
    talk.ask(talk.preparePing(1));
    uint64_t id = talk.lastId + 1;
    talk.ask(talk.go(1, 0, 2));
    expectFailure(end(1, other), StatusCode::PermissionDenied,
                  "the run is another client's");
    EXPECT_EQ(talk.cluster.residue().runs, 1u);
    // What is not there has ended.
    protocol::Reply none = end(2, talk.client);
    EXPECT_FALSE(none.has_failure());
    EXPECT_TRUE(none.last());
    if (isAbort)
      EXPECT_EQ(none.ended().run().number(), 2u);
    end(1, talk.client);
    const auto &replies = talk.cluster.replies(talk.client);
    ASSERT_EQ(replies.size(), 2u);
    EXPECT_EQ(replies[0].id(), id);
    expectFailure(replies[0], StatusCode::Cancelled,
                  isAbort ? "the client ended the run"
                          : "the client released the run");
    EXPECT_EQ(replies[0].ended().run().number(), 1u);
    EXPECT_FALSE(replies[1].has_failure());
    EXPECT_EQ(talk.cluster.residue().runs, 0u);
    // It may be asked for under this name again.
    EXPECT_FALSE(talk.ask(talk.preparePing(1)).has_failure());
    EXPECT_FALSE(end(1, talk.client).has_failure());
    EXPECT_EQ(talk.cluster.residue().runs, 0u);
  }
}

TEST(TaskProtocol, AnAbortHasACauseThatAllLearn) {
  PingConversation talk;
  talk.ask(talk.preparePing(1));
  talk.ask(talk.prepare(1, "ping"), 1);
  talk.ask(talk.go(1, 0, 9));
  protocol::Request request;
  request.mutable_abort()->mutable_run()->set_client(5);
  request.mutable_abort()->mutable_run()->set_number(1);
  request.mutable_abort()->mutable_cause()->set_code(
      static_cast<int>(StatusCode::DataLoss));
  request.mutable_abort()->mutable_cause()->set_message("because\t");
  talk.ask(request);
  expectFailure(talk.cluster.replies(talk.client)[0], StatusCode::DataLoss,
                "because ");
  talk.cluster.settle();
  // The other task knows it, for whoever lets it go there.
  protocol::Reply reply = talk.ask(talk.go(1, 0, 9), 1);
  expectFailure(reply, StatusCode::DataLoss, "because ");
  EXPECT_EQ(reply.ended().run().number(), 1u);
}

TEST(TaskProtocol, RequestsHaveIdsOfTheirOwn) {
  PingConversation talk;
  protocol::Request request = talk.attach("ping");
  request.set_id(8);
  talk.ask(request); // waits
  protocol::Reply busy = talk.ask(request);
  EXPECT_EQ(busy.failure().message(), "request 8 still runs; give each request "
                                      "its own id, from 1");
  EXPECT_FALSE(busy.last()); // that is for the request that runs
  protocol::Request none;
  none.mutable_waits();
  talk.cluster.replies(talk.client).clear();
  talk.cluster.send(talk.client, 0, none);
  EXPECT_EQ(talk.answer().failure().code(), int(StatusCode::InvalidArgument));
  // Another client may have the same one.
  none.set_id(8);
  EXPECT_FALSE(
      talk.ask(none, 0, talk.cluster.openConversation()).has_failure());
  protocol::Request nothing;
  expectFailure(talk.ask(nothing), StatusCode::Unimplemented,
                "the request asks for nothing that this version knows");
}

TEST(TaskProtocol, FewRequestsWaitAtTheSameTime) {
  PingConversation talk([](TaskOptions &task) { task.mostRuns = 2; });
  for (int i = 0; i < 8; ++i) {
    protocol::Reply reply = talk.ask(talk.attach("ping"));
    EXPECT_FALSE(reply.has_failure()) << i;
    EXPECT_EQ(reply.status(), "waits for the chief to start 'ping'");
  }
  ClientId other = talk.cluster.openConversation();
  expectFailure(talk.ask(talk.attach("ping"), 0, other),
                StatusCode::ResourceExhausted, "too many requests wait");
  talk.cluster.task(0).onClientGone(talk.client);
  EXPECT_FALSE(talk.ask(talk.attach("ping"), 0, other).has_failure());
}

TEST(TaskProtocol, AListenerIsOfOneGraphAndWaitsForAWhile) {
  PingConversation talk;
  ClientId late = talk.cluster.openConversation(),
           other = talk.cluster.openConversation();
  protocol::Request wrong = talk.attach("ping");
  wrong.mutable_attach()->set_plan("1234");
  expectFailure(talk.ask(wrong), StatusCode::NotFound, "is not loaded");
  expectFailure(talk.ask(talk.attach("pong")), StatusCode::NotFound, "'ping'");
  wrong = talk.attach("ping");
  wrong.mutable_attach()->add_fetches("half");
  expectFailure(talk.ask(wrong), StatusCode::InvalidArgument,
                "fetch 'half' is made at another task");
  wrong.mutable_attach()->set_fetches(0, "z");
  expectFailure(talk.ask(wrong), StatusCode::NotFound, "'z'");

  protocol::Request brief = talk.attach("ping"), longer = talk.attach("ping");
  brief.set_deadline_ms(1000);
  longer.set_deadline_ms(2000);
  talk.ask(brief, 0, late);
  talk.ask(longer);
  talk.ask(talk.attach("alone"), 0, other);
  // All of them are known to wait.
  protocol::Request waits;
  waits.mutable_waits();
  protocol::Reply list = talk.ask(waits, 0, talk.cluster.openConversation());
  ASSERT_EQ(list.waits().waits_size(), 3);
  EXPECT_EQ(list.waits().waits(0).task(), "/job:worker/task:0");
  EXPECT_EQ(list.waits().waits(0).graph(), "ping");
  EXPECT_EQ(list.waits().waits(0).kind(), "client");
  EXPECT_EQ(list.waits().waits(2).what(), "the chief to start 'alone'");
  talk.pass(990);
  EXPECT_FALSE(talk.answer(late).last());
  talk.pass(20);
  expectFailure(talk.answer(late), StatusCode::DeadlineExceeded,
                "the chief has not started the graph in time");
  EXPECT_FALSE(talk.answer().last());
  // A run of another graph is not what it waits for.
  ClientId chief = talk.cluster.openConversation();
  talk.ask(talk.prepare(1, "alone"), 0, chief);
  talk.ask(talk.go(1, 0, 3), 0, chief);
  talk.cluster.settle();
  EXPECT_TRUE(talk.answer(other).last());
  EXPECT_EQ(talk.answer(other).ended().steps(), 3u);
  EXPECT_FALSE(talk.answer().last());
  talk.pass(1000);
  expectFailure(talk.answer(), StatusCode::DeadlineExceeded, "in time");
}

TEST(TaskProtocol, FailedRunsMakeRoomForOthers) {
  PingConversation talk([](TaskOptions &task) { task.mostRuns = 2; });
  talk.ask(talk.preparePing(1));
  EXPECT_TRUE(talk.ask(talk.prepare(2, "alone")).has_prepared());
  expectFailure(talk.ask(talk.prepare(3, "alone")),
                StatusCode::ResourceExhausted,
                "this task has 2 runs; release some first");
  FrameHeader failed;
  failed.kind = FrameKind::RunFailed;
  failed.runClient = 5;
  failed.runNumber = 1;
  talk.cluster.sendFrame(1, 0, failed);
  EXPECT_TRUE(talk.ask(talk.prepare(3, "alone")).has_prepared());
  expectFailure(talk.ask(talk.prepare(4, "alone")),
                StatusCode::ResourceExhausted, "this task has 2 runs");
  // The failed one is not remembered any more.
  expectFailure(talk.ask(talk.go(1, 0, 1)), StatusCode::NotFound,
                "not prepared");
}

TEST(TaskProtocol, AStopIsAnsweredAndDone) {
  PingConversation talk;
  protocol::Request request;
  request.mutable_stop();
  protocol::Reply reply = talk.ask(request);
  EXPECT_TRUE(reply.last());
  EXPECT_FALSE(reply.has_failure());
  EXPECT_NE(talk.cluster.log.find("a client asks this task to end"),
            std::string::npos);
}

TEST(TaskProtocol, AProcessThatEndsSaysSoToAll) {
  PingConversation talk;
  ClientId listener = talk.cluster.openConversation();
  talk.ask(talk.prepare(1, "ping"), 1);
  talk.ask(talk.attach("alone"), 0, listener);
  talk.ask(talk.preparePing(1));
  talk.ask(talk.go(1, 0, 1));
  talk.cluster.task(0).shutDown("it was asked to");
  expectFailure(talk.answer(), StatusCode::Unavailable, "it was asked to");
  EXPECT_EQ(talk.answer().failure().task(), "/job:worker/task:0");
  expectFailure(talk.answer(listener), StatusCode::Unavailable,
                "it was asked to");
  talk.cluster.settle();
  EXPECT_EQ(talk.cluster.residue().runs, 0u);
  // Its peer knows, too.
  expectFailure(talk.ask(talk.go(1, 0, 1), 1), StatusCode::Unavailable,
                "it was asked to");
}

} // namespace
