// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client of two tasks, and what it has asked of them.
#ifndef GRAPHC_TEST_RUNTIME_CLIENT_CLIENTHARNESS_H
#define GRAPHC_TEST_RUNTIME_CLIENT_CLIENTHARNESS_H

#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

#include <gtest/gtest.h>

namespace graphc::test {

using namespace runtime;

/// pingModel() and graph "quiet", whose steps have no fetches.
inline ModelBuilder quietModel(int64_t size = 3) {
  ModelBuilder model = pingModel(size);
  GraphSpec &quiet = model.addGraph("quiet");
  quiet.device = "/job:worker/replica:0/task:0/device:CPU:0";
  quiet.addFill(quiet.addArena("x", {DType::Float32, {2}}), {0});
  return model;
}

inline runtime::HostTensor floats(int64_t size, float value) {
  std::vector<float> values(size, value);
  return HostTensor::of<float>({size}, std::span<const float>(values));
}

struct Client {
  explicit Client(const ModelBuilder &model = quietModel(),
                  ClientOptions options = {}, bool hasSharedMemory = false)
      : cluster({makeCluster(0, 2), 1, hasSharedMemory, {}}),
        client(cluster.addClient(model, options)) {
    cluster.seeRequest = [this](const protocol::Request &request, TaskId) {
      if (request.has_go())
        gone.push_back({request.go().run().number(), request.go().first_step(),
                        request.go().steps()});
    };
  }
  Status open() {
    client.beginOpen();
    return cluster.finish(client);
  }
  Status run(ClientMachine::Run run) {
    steps.clear();
    gone.clear();
    client.beginRun(run, [this](uint64_t step, auto) {
      steps.push_back(step);
      return steps.size() < enough;
    });
    return cluster.finish(client);
  }
  /// Of graph "ping", for two steps.
  static ClientMachine::Run ping(std::vector<std::string> fetches, float x = 1,
                                 int64_t size = 3) {
    return {"ping", {{"x", floats(size, x)}}, fetches, 2, false, {}};
  }

  struct Gone {
    uint64_t run, first, steps;
    auto operator<=>(const Gone &) const = default;
  };
  std::vector<Gone> gone;
  DirectCluster cluster;
  ClientMachine &client;
  std::vector<uint64_t> steps;
  size_t enough = SIZE_MAX;
};

inline void expectStatus(const Status &status, StatusCode code,
                         const std::string &text) {
  EXPECT_EQ(status.code(), code) << status.toString();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

} // namespace graphc::test

#endif
