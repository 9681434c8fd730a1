// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that train with two parameter servers, each with its client.
#ifndef GRAPHC_TEST_RUNTIME_TASK_TRAINING_H
#define GRAPHC_TEST_RUNTIME_TASK_TRAINING_H

#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace graphc::test {

using runtime::ClientMachine;
using runtime::ClientOptions;
using runtime::Status;
using runtime::TaskOptions;

inline constexpr auto kAsync = format::Coordination::Async;
inline constexpr auto kQuorum = format::Coordination::Quorum;

/// Two ps, two or three workers, each with a client of its own.
struct Training {
  Training(const ModelBuilder &model, uint32_t workers, uint64_t seed,
           int64_t stallSeconds = 60,
           std::function<void(TaskOptions &)> change = {})
      : cluster({makeCluster(2, workers), seed, false, change}) {
    for (uint32_t worker = 0; worker < workers; ++worker) {
      ClientOptions options;
      options.stallNanos = stallSeconds * 1'000'000'000;
      options.worker = worker;
      options.isChief = worker == 0;
      clients.push_back(&cluster.addClient(model, options));
      clients.back()->beginOpen();
    }
    finishAll();
    for (ClientMachine *client : clients)
      client->beginInitialize();
    finishAll();
  }

  void finishAll() {
    for (ClientMachine *client : clients) {
      Status status = cluster.finish(*client);
      EXPECT_TRUE(status.isOk()) << status.toString() << cluster.log;
    }
  }

  void begin(uint32_t worker, int64_t steps) {
    clients[worker]->beginRun(
        {"train", {}, {}, steps, false, {}}, [this](uint64_t, auto values) {
          // No update is seen in part.
          isTorn |= firstOf(values[0]) != firstOf(values[1]);
          ++seen;
          return true;
        });
  }

  float read(const char *name) {
    clients[0]->beginRead(name);
    EXPECT_TRUE(cluster.finish(*clients[0]).isOk())
        << clients[0]->result().toString();
    return clients[0]->value().as<float>()[0];
  }

  DirectCluster cluster;
  std::vector<ClientMachine *> clients;
  bool isTorn = false;
  int seen = 0;
};

} // namespace graphc::test

#endif
