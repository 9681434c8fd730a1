// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that a task is given: those that it keeps, and those that it refuses.
#include "test/runtime/task/PingConversation.h"

using namespace graphc;
using namespace graphc::runtime;
using test::expectFailure;
using test::PingConversation;

namespace {

TEST(TaskProtocol, ThePlanThatWasUsedLeastRecentlyMakesRoom) {
  PingConversation talk([](TaskOptions &task) { task.mostPlans = 2; });
  std::string first = talk.plan, second = talk.load(test::pingModel(4));
  auto plans = [&] {
    protocol::Reply::Description text = talk.cluster.task(0).describe(first);
    return std::set<std::string>(text.plans().begin(), text.plans().end());
  };
  EXPECT_EQ(plans(), (std::set<std::string>{first, second}));
  talk.ask(talk.attach("pong")); // uses the first
  std::string third = talk.load(test::pingModel(5));
  EXPECT_EQ(plans(), (std::set<std::string>{first, third}));
  // Those that have runs stay.
  EXPECT_TRUE(talk.ask(talk.prepare(1, "alone")).has_prepared());
  std::string fourth = talk.load(test::pingModel(6));
  EXPECT_EQ(plans(), (std::set<std::string>{first, fourth}));
  talk.plan = fourth;
  EXPECT_TRUE(talk.ask(talk.prepare(2, "alone")).has_prepared());
  ClientMachine &client = talk.cluster.addClient(test::pingModel(7));
  client.beginOpen();
  Status status = talk.cluster.finish(client);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find("this task has 2 plans, and all have runs"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(plans(), (std::set<std::string>{first, fourth}));
}

TEST(TaskProtocol, PartsOfPlansAreWhatTheySay) {
  PingConversation talk;
  auto model = Model::fromBytes(test::pingModel(9).finish(), "plan.bin");
  auto load = [&](const std::string &plan, const char *task,
                  const std::string &level = "") {
    std::vector<std::byte> part = *makeSlice(**model, task);
    protocol::Request request;
    protocol::Request::Load &load = *request.mutable_load();
    load.set_plan(plan);
    load.set_cpu_level(level);
    load.mutable_part()->set_total(part.size());
    load.mutable_part()->set_data(part.data(), part.size());
    return talk.ask(request);
  };
  const std::string digest = planDigest(**model), other(32, '0');
  expectFailure(load(other, "/job:worker/task:0"), StatusCode::InvalidArgument,
                "the part that was loaded is of plan " + digest + ", not of '" +
                    other + "'");
  expectFailure(load(digest, "/job:worker/task:1"), StatusCode::InvalidArgument,
                "is that of '/job:worker/task:1', but this task is "
                "/job:worker/task:0");
  expectFailure(load(digest, "/job:worker/task:0", "v5"),
                StatusCode::InvalidArgument,
                "'v5' is no level of a CPU; take v3 or v4");
  EXPECT_FALSE(talk.cluster.task(0).describe(digest).has_plan());
  EXPECT_FALSE(load(digest, "/job:worker/task:0", "v3").has_failure());
  EXPECT_TRUE(talk.cluster.task(0).describe(digest).has_plan());
  // Whoever brings it again is told at once; the rest is passed over.
  protocol::Request request;
  request.set_id(900);
  request.mutable_load()->set_plan(digest);
  protocol::Chunk &chunk = *request.mutable_load()->mutable_part();
  chunk.set_total(8);
  chunk.set_data("abcd");
  EXPECT_TRUE(talk.ask(request).last());
  chunk.set_offset(4);
  talk.ask(request);
  EXPECT_TRUE(talk.cluster.replies(talk.client).empty());
  // Chunks of two plans are none of either.
  request.set_id(901);
  request.mutable_load()->set_plan(other);
  chunk.set_offset(0);
  EXPECT_FALSE(talk.ask(request).has_failure());
  request.mutable_load()->set_plan(std::string(32, '1'));
  chunk.set_offset(4);
  expectFailure(talk.ask(request), StatusCode::InvalidArgument,
                "the chunks are of different plans");
}

} // namespace
