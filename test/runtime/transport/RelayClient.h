// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client that relays values through three tasks of a local cluster.
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_RELAYCLIENT_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_RELAYCLIENT_H

#include "runtime/base/Clock.h"
#include "runtime/transport/LocalCluster.h"
#include "test/runtime/format/ModelBuilder.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace graphc::test {

using namespace runtime;

inline constexpr int64_t kLimitNanos = 20'000'000'000; ///< of every wait

inline std::string cpu(const std::string &task) {
  return task.substr(0, task.find("/task")) + "/replica:0" +
         task.substr(task.find("/task")) + "/device:CPU:0";
}

/// Graph "relay": feed x goes from ps to both workers, one after the other, and
/// back: fetch y.
inline std::shared_ptr<const Model> relayModel(int64_t elements) {
  ModelBuilder model;
  const TensorType type{DType::Float32, {elements}};
  GraphSpec &graph = model.addGraph("relay");
  graph.device = cpu("/job:ps/task:0");
  uint32_t first = graph.addProgram(cpu("/job:worker/task:0"));
  uint32_t second = graph.addProgram(cpu("/job:worker/task:1"));
  uint32_t x = graph.addArena("x", type);
  graph.addFeed("x", x);
  uint32_t atFirst = graph.transfer(0, x, first);
  uint32_t atSecond = graph.transfer(first, atFirst, second);
  uint32_t back = graph.transfer(second, atSecond, 0);
  uint32_t y = graph.addArena("y", type);
  graph.addCopy(back, y);
  graph.addFetch("y", y);
  auto opened = Model::fromBytes(model.finish(), "relay");
  EXPECT_TRUE(opened.isOk()) << opened.status().toString();
  return opened.isOk() ? *opened : nullptr;
}

/// A client on the test's thread.
class RelayClient final : public ClientEnvironment {
public:
  RelayClient(LocalCluster &cluster, std::shared_ptr<const Model> plan,
              uint64_t incarnation = 77) {
    auto made = cluster.connect();
    EXPECT_TRUE(made.isOk()) << made.status().toString();
    connector = std::move(*made);
    ClientOptions options;
    options.incarnation = incarnation;
    options.openNanos = kLimitNanos / 2;
    auto created =
        ClientMachine::create(plan, cluster.cluster(), options, *this);
    EXPECT_TRUE(created.isOk()) << created.status().toString();
    machine = std::move(*created);
  }

  int64_t nowNanos() const override { return runtime::nowNanos(); }
  void send(TaskId task, protocol::Request request) override {
    connector->send(task, std::move(request));
  }
  void status(std::string_view) override {}

  Status finish() {
    int64_t until = nowNanos() + kLimitNanos;
    while (machine->isBusy()) {
      if (nowNanos() > until)
        return internalError("the operation does not end");
      if (nowNanos() >= machine->nextTimer())
        machine->onTimer();
      connector->pump(*machine, std::min(machine->nextTimer(), until));
    }
    return machine->result();
  }

  Status open() {
    machine->beginOpen();
    GRAPHC_TRY(finish());
    machine->beginInitialize();
    return finish();
  }

  /// Relays numbers from `first` on; checks each step's values.
  Status relay(int64_t elements, int64_t steps, float first) {
    std::vector<float> values(elements);
    std::iota(values.begin(), values.end(), first);
    auto bytes = std::as_bytes(std::span(values));
    NamedTensor x{"x", HostTensor::of<float>({elements}, values)};
    ClientMachine::Run run;
    run.graph = "relay";
    run.feeds = {x};
    run.steps = steps;
    uint64_t seen = 0;
    machine->beginRun(run, [&](uint64_t, auto fetches) {
      EXPECT_EQ(fetches.size(), 1u);
      EXPECT_EQ(fetches[0].size(), bytes.size());
      EXPECT_EQ(std::memcmp(fetches[0].data(), bytes.data(), bytes.size()), 0);
      ++seen;
      return true;
    });
    GRAPHC_TRY(finish());
    EXPECT_EQ(seen, uint64_t(steps));
    return Status::ok();
  }

  std::unique_ptr<TaskConnector> connector;
  std::unique_ptr<ClientMachine> machine;
};

} // namespace graphc::test

#endif
