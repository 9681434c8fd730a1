// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests a client's handling of replies that are late, wrong or of another kind.
#include "test/runtime/client/ClientHarness.h"

#include <cstdlib>
#include <fstream>

using namespace graphc;
using namespace graphc::runtime;
using test::Client;
using test::DirectCluster;
using test::expectStatus;
using test::floats;
using test::quietModel;

namespace {

/// The status of two steps of "ping" where answers are changed on the way.
Status runWith(std::function<void(protocol::Reply &, TaskId)> change) {
  Client all;
  EXPECT_TRUE(all.open().isOk());
  all.cluster.changeReply = std::move(change);
  Status status = all.run(Client::ping({"y"}));
  all.cluster.settle();
  EXPECT_EQ(all.cluster.residue().runs, status.isOk() ? 2u : 0u);
  return status;
}

TEST(ClientAnswers, ResultsThatARunDoesNotHaveEndIt) {
  using Results = protocol::Reply::Results;
  const std::function<void(Results &)> wrong[] = {
      [](Results &it) { it.set_steps(0); },
      [](Results &it) { it.set_steps(it.steps() + 1); },
      [](Results &it) { it.set_first_step(it.first_step() + 1); },
      [](Results &it) { it.mutable_values()->pop_back(); },
      [](Results &it) { it.mutable_values()->push_back(0); },
      [](Results &it) {
        it.set_steps(3);
        it.set_values(std::string(3 * 12, 0));
      }};
  for (const auto &change : wrong)
    expectStatus(runWith([&](protocol::Reply &reply, TaskId) {
                   if (reply.has_results())
                     change(*reply.mutable_results());
                 }),
                 StatusCode::Internal, "which the run does not have");
  // Worker 1 has no fetch.
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 1 && reply.has_ended()) {
                   reply.mutable_results()->set_steps(1);
                   reply.set_last(false);
                 }
               }),
               StatusCode::Internal, "which the run does not have");
  expectStatus(runWith([](protocol::Reply &reply, TaskId) {
                 if (reply.has_results())
                   reply.mutable_ended();
               }),
               StatusCode::Internal, "tasks ended without all results");
  EXPECT_TRUE(runWith([](protocol::Reply &, TaskId) {}).isOk());
}

TEST(ClientAnswers, AnswersThatArePreparedForSomethingElseEndARun) {
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 0 && reply.has_prepared())
                   reply.mutable_prepared()->set_sizes(0, 16);
               }),
               StatusCode::Internal,
               "/job:worker/task:0 has other fetches than the plan");
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 1 && reply.has_prepared())
                   reply.mutable_prepared()->add_sizes(12);
               }),
               StatusCode::Internal,
               "/job:worker/task:1 has other fetches than the plan");
  expectStatus(runWith([](protocol::Reply &reply, TaskId task) {
                 if (task == 1 && reply.has_prepared())
                   reply.mutable_bound();
               }),
               StatusCode::Internal, "an answer of another kind came");
}

TEST(ClientAnswers, TheStepsOfARunAreThoseThatAllTasksHaveLeft) {
  for (int64_t left : {1, 2, 5}) {
    Client all;
    ASSERT_TRUE(all.open().isOk());
    all.cluster.changeReply = [left](protocol::Reply &reply, TaskId task) {
      if (reply.has_prepared()) {
        reply.mutable_prepared()->set_steps_available(task == 1 ? left : 7);
        reply.mutable_prepared()->set_next_step(task == 1 ? 4 : 2);
      }
    };
    Status status = all.run(Client::ping({"y"}));
    EXPECT_TRUE(status.isOk()) << status.toString();
    EXPECT_EQ(all.steps.front(), 5u);
    EXPECT_EQ(all.steps.size(), std::min<size_t>(left, 2));
    EXPECT_EQ(all.client.outcome().isEndOfData, left < 2);
    if (left == 5) {
      ASSERT_TRUE(
          all.run({"ping", {{"x", floats(3, 1)}}, {"y"}, 9, false, {}}).isOk());
      EXPECT_EQ(all.steps.size(), 3u); // two were made before
      EXPECT_TRUE(all.client.outcome().isEndOfData);
    }
  }
}

TEST(ClientAnswers, ATaskThatRefusesToSpeakIsNotAskedAgain) {
  for (StatusCode code : {StatusCode::PermissionDenied, StatusCode::Unavailable,
                          StatusCode::DeadlineExceeded}) {
    bool isForEver = code == StatusCode::PermissionDenied;
    Client all;
    int asked = 0;
    int64_t first = 0, second = 0;
    all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
      if (task != 1 || !reply.has_description())
        return;
      (asked == 0 ? first : second) = all.cluster.now();
      if (++asked > 1)
        return;
      reply.clear_description();
      reply.mutable_failure()->set_code(static_cast<int>(code));
      reply.mutable_failure()->set_message("not you");
    };
    Status status = all.open();
    EXPECT_EQ(asked, isForEver ? 1 : 2);
    if (isForEver)
      expectStatus(status, code, "not you");
    else
      EXPECT_TRUE(status.isOk()) << status.toString();
    if (!isForEver) { // after a moment
      EXPECT_GE(second - first, 100'000'000);
      EXPECT_LT(second - first, 101'000'000);
    }
  }
}

TEST(ClientAnswers, WhatKeepsATaskAwayIsSaidInTheEnd) {
  ClientOptions options;
  options.openNanos = 2'500'000'000;
  Client all(quietModel(), options);
  all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
    if (task == 1 && reply.has_description()) {
      reply.clear_description();
      *reply.mutable_failure() = {};
      reply.mutable_failure()->set_code(int(StatusCode::Unavailable));
      reply.mutable_failure()->set_message("refused");
    }
  };
  expectStatus(all.open(), StatusCode::DeadlineExceeded,
               "no answer from /job:worker/task:1 in 2.5 s (refused); start "
               "them, or look whether their addresses are right");
  EXPECT_NE(all.cluster.told.find(
                "waits for /job:worker/task:0, /job:worker/task:1, for 2.5 s "
                "at most\n"),
            std::string::npos)
      << all.cluster.told;
  EXPECT_NE(all.cluster.told.find(
                "waits for /job:worker/task:1, for 2.5 s at most\n"),
            std::string::npos);
}

TEST(ClientAnswers, AKernelThatDoesNotEndIsNamed) {
  for (int which = 0; which < 5; ++which) {
    ClientOptions options;
    options.stallNanos = 2'000'000'000;
    Client all(quietModel(), options);
    ASSERT_TRUE(all.open().isOk());
    all.cluster.hold = [](const protocol::Request &request, TaskId task) {
      return task == 1 && request.has_go();
    };
    int asked = 0;
    all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
      if (reply.has_failure() && !reply.has_waits())
        reply.Clear(); // the tasks' own stall limit has not come yet
      if (!reply.has_waits() || task != 0 || ++asked > 1)
        return;
      auto &wait = *reply.mutable_waits()->add_waits();
      wait.mutable_run()->set_client(which == 1 ? 7 : 1001);
      wait.mutable_run()->set_number(which == 2 ? 7 : 1);
      wait.set_kind(which == 3 ? "edge" : "kernel");
      wait.set_since_ms(which == 4 ? 6999 : 7000);
      wait.set_step(3);
      wait.set_what("a kernel to end");
    };
    all.client.beginRun(Client::ping({"y"}),
                        [](uint64_t, auto) { return true; });
    int64_t begin = all.cluster.now();
    all.cluster.runUntil([&] {
      return !all.client.isBusy() || all.cluster.now() > begin + 9'000'000'000;
    });
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(all.client.isBusy(), which != 0) << which;
    if (which == 0) {
      expectStatus(all.client.result(), StatusCode::DeadlineExceeded,
                   "no progress for 7 s: /job:worker/task:0 waits for a kernel "
                   "to end");
      EXPECT_GE(all.cluster.now() - begin, 7'000'000'000);
    }
  }
}

struct Variables {
  Variables() : cluster({test::makeCluster(2, 0), 1, false, {}}) {
    client->beginOpen();
    EXPECT_TRUE(cluster.finish(*client).isOk());
    client->beginInitialize();
    EXPECT_TRUE(cluster.finish(*client).isOk());
  }
  Status write(const char *name, const HostTensor &value) {
    client->beginWrite(name, value);
    return cluster.finish(*client);
  }
  Status read(const char *name) {
    client->beginRead(name);
    return cluster.finish(*client);
  }
  DirectCluster cluster;
  ClientMachine *client = &cluster.addClient(test::dividedModel());
};

TEST(ClientAnswers, VariablesAreWrittenAsTheyAre) {
  Variables all;
  expectStatus(all.write("v", floats(1, 1)), StatusCode::NotFound,
               "variable 'v'");
  expectStatus(all.read("v"), StatusCode::NotFound, "variable 'v'");
  expectStatus(all.write("w", floats(1, 1)), StatusCode::InvalidArgument,
               "variable 'w' is float32[], but the value is float32[1]");
  HostTensor empty = floats(4, 1);
  empty.type.shape = {2, 2};
  empty.bytes.pop_back();
  expectStatus(all.write("rows", empty), StatusCode::InvalidArgument,
               "variable 'rows' is float32[2,2]");
  all.cluster.changeReply = [](protocol::Reply &reply, TaskId task) {
    if (task == 1) {
      reply.mutable_failure()->set_code(int(StatusCode::DataLoss));
      reply.mutable_failure()->set_message("broken");
    }
  };
  HostTensor rows = floats(4, 1);
  rows.type.shape = {2, 2};
  expectStatus(all.write("rows", rows), StatusCode::DataLoss, "broken");
  expectStatus(all.read("rows"), StatusCode::DataLoss, "broken");
}

TEST(ClientAnswers, ChunksThatDoNotFitAreNoValue) {
  using Chunk = protocol::Chunk;
  const std::function<void(Chunk &)> wrong[] = {
      [](Chunk &it) { it.set_total(it.total() + 1); },
      [](Chunk &it) { it.set_offset(1); },
      [](Chunk &it) { it.set_data(std::string(9, 'x')); }};
  for (const auto &change : wrong) {
    Variables all;
    all.cluster.changeReply = [&](protocol::Reply &reply, TaskId task) {
      if (task == 1 && reply.has_value())
        change(*reply.mutable_value());
    };
    expectStatus(all.read("rows"), StatusCode::Internal,
                 "variable 'rows/part_1' has another size at its task");
  }
  Variables all;
  all.cluster.changeReply = [](protocol::Reply &reply, TaskId) {
    if (reply.has_value())
      reply.mutable_value()->mutable_data()->pop_back();
  };
  expectStatus(all.read("w"), StatusCode::Internal,
               "variable 'w' came in part");
}

TEST(ClientAnswers, AllTasksHaveTheSameExamples) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder ? folder : "/tmp") + "/client.csv";
  std::ofstream(path) << "x\n1\n2\n3\n4\n5\n6\n7\n8\n";
  DirectCluster cluster({test::makeCluster(1, 2), 1, false, {}});
  ClientMachine &client = cluster.addClient(test::dataModel(1));
  client.beginOpen();
  ASSERT_TRUE(cluster.finish(client).isOk());
  auto bind = [&](const char *name) {
    client.beginBind(name, path);
    return cluster.finish(client);
  };
  expectStatus(bind("dots"), StatusCode::NotFound, "'points'");
  EXPECT_TRUE(bind("points").isOk());
  EXPECT_EQ(client.bound().batches_per_epoch(), 2);
  cluster.changeReply = [](protocol::Reply &reply, TaskId task) {
    if (reply.has_bound())
      reply.mutable_bound()->set_examples(task);
  };
  Status status = bind("points");
  expectStatus(status, StatusCode::FailedPrecondition, "dataset 'points' has ");
  expectStatus(status, StatusCode::FailedPrecondition,
               "; all tasks need the same files");
  cluster.changeReply = [](protocol::Reply &reply, TaskId) {
    if (reply.has_bound()) {
      reply.mutable_failure()->set_code(int(StatusCode::DataLoss));
      reply.mutable_failure()->set_message("torn");
    }
  };
  expectStatus(bind("points"), StatusCode::DataLoss, "torn");
}

} // namespace
