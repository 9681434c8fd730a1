// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client that speaks with tasks by hand, and asks what no ClientMachine
// would.
#ifndef GRAPHC_TEST_RUNTIME_TASK_PINGCONVERSATION_H
#define GRAPHC_TEST_RUNTIME_TASK_PINGCONVERSATION_H

#include "runtime/format/PlanSlice.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <gtest/gtest.h>

namespace graphc::test {

using runtime::ClientId;
using runtime::ClientMachine;
using runtime::StatusCode;
using runtime::TaskId;
using runtime::TaskOptions;

/// Two workers that have loaded pingModel(3), and a conversation with each.
struct PingConversation {
  explicit PingConversation(std::function<void(TaskOptions &)> change = {},
                            const ModelBuilder &model = pingModel(3),
                            runtime::ClusterSpec tasks = makeCluster(0, 2))
      : cluster({std::move(tasks), 1, false, std::move(change)}),
        plan(load(model)), client(cluster.openConversation()) {}

  std::string load(const ModelBuilder &model) {
    ClientMachine &machine = cluster.addClient(model);
    machine.beginOpen();
    runtime::Status status = cluster.finish(machine);
    EXPECT_TRUE(status.isOk()) << status.toString();
    return runtime::planDigest(machine.plan());
  }

  /// Sends it; what the task answers at once, last of all.
  protocol::Reply ask(protocol::Request request, TaskId task = 0,
                      ClientId from = 0) {
    ClientId sender = from == 0 ? client : from;
    if (request.id() == 0)
      request.set_id(++lastId);
    cluster.replies(sender).clear();
    cluster.send(sender, task, request);
    return answer(sender);
  }
  /// The last answer, or an empty one.
  protocol::Reply answer(ClientId from = 0) {
    auto &replies = cluster.replies(from == 0 ? client : from);
    return replies.empty() ? protocol::Reply() : replies.back();
  }
  /// Time passes; timers that are due run.
  void pass(int64_t millis) {
    int64_t end = cluster.clock + millis * 1'000'000;
    cluster.settle();
    while (cluster.clock < end) {
      cluster.clock = std::min(end, cluster.clock + 10'000'000);
      for (TaskId task : {0, 1})
        if (cluster.task(task).nextTimer() <= cluster.clock)
          cluster.task(task).onTimer();
      cluster.settle();
    }
  }

  protocol::Request prepare(uint64_t number, const std::string &graph) {
    protocol::Request request;
    protocol::Request::Prepare &prepare = *request.mutable_prepare();
    prepare.set_plan(plan);
    prepare.mutable_run()->set_client(5);
    prepare.mutable_run()->set_number(number);
    prepare.set_graph(graph);
    return request;
  }
  /// With a value of feed x.
  protocol::Request preparePing(uint64_t number) {
    protocol::Request request = prepare(number, "ping");
    protocol::Chunk &chunk = *request.mutable_prepare()->add_feeds();
    chunk.set_name("x");
    chunk.set_dtype(static_cast<uint32_t>(runtime::DType::Float32));
    chunk.add_shape(3);
    chunk.set_total(12);
    chunk.set_data(std::string(12, 0));
    return request;
  }
  protocol::Request go(uint64_t number, uint64_t first, uint64_t steps) {
    protocol::Request request;
    request.mutable_go()->mutable_run()->set_client(5);
    request.mutable_go()->mutable_run()->set_number(number);
    request.mutable_go()->set_first_step(first);
    request.mutable_go()->set_steps(steps);
    return request;
  }
  protocol::Request attach(const std::string &graph) {
    protocol::Request request;
    request.mutable_attach()->set_plan(plan);
    request.mutable_attach()->set_graph(graph);
    return request;
  }

  DirectCluster cluster;
  std::string plan;
  ClientId client;
  uint64_t lastId = 0;
};

inline void expectFailure(const protocol::Reply &reply, StatusCode code,
                          const std::string &text) {
  EXPECT_EQ(reply.failure().code(), static_cast<int>(code))
      << reply.ShortDebugString();
  EXPECT_NE(reply.failure().message().find(text), std::string::npos)
      << reply.failure().message();
  EXPECT_TRUE(reply.last());
}

} // namespace graphc::test

#endif
