// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client of a cluster that runs one graph of a plan again and again.
#ifndef GRAPHC_BENCH_PLANCLIENT_H
#define GRAPHC_BENCH_PLANCLIENT_H

#include "runtime/base/Clock.h"
#include "runtime/rpc/GrpcConnector.h"

#include <cstdio>
#include <cstdlib>

namespace graphc::bench {

/// Ends the process where something fails. Thread-safety: one thread.
class PlanClient final : public runtime::ClientEnvironment {
public:
  /// Opens the plan at the cluster of which the target is a task.
  PlanClient(const std::string &plan, const std::string &target) {
    auto model = taken(runtime::Model::open(plan));
    auto cluster =
        taken(runtime::discoverCluster(std::span(&target, 1), {}, kOpenNanos));
    connector = taken(runtime::GrpcConnector::create(cluster, {}));
    runtime::ClientOptions options;
    options.incarnation = static_cast<uint64_t>(nowNanos());
    machine = taken(runtime::ClientMachine::create(model, std::move(cluster),
                                                   options, *this));
    machine->beginOpen();
    finish();
  }

  void initialize() {
    machine->beginInitialize();
    finish();
  }
  void steps(int64_t count) {
    runtime::Status status = trySteps(count);
    if (!status.isOk())
      fail(status);
  }
  /// The same for a run that may fail.
  runtime::Status trySteps(int64_t count) {
    run.steps = count;
    machine->beginRun(run, [](uint64_t, auto) { return true; });
    return wait();
  }

  // ClientEnvironment
  int64_t nowNanos() const override { return runtime::nowNanos(); }
  void send(runtime::TaskId task, protocol::Request request) override {
    connector->send(task, std::move(request));
  }
  void status(std::string_view) override {}

  runtime::ClientMachine::Run run; ///< what steps() does

private:
  static constexpr int64_t kOpenNanos = 20'000'000'000;

  [[noreturn]] static void fail(const runtime::Status &status) {
    std::fprintf(stderr, "%s\n", status.toString().c_str());
    std::exit(1);
  }
  template <typename T> static T taken(runtime::StatusOr<T> result) {
    if (!result.isOk())
      fail(result.status());
    return std::move(*result);
  }
  void finish() {
    if (runtime::Status status = wait(); !status.isOk())
      fail(status);
  }
  runtime::Status wait() {
    while (machine->isBusy())
      if (nowNanos() >= machine->nextTimer())
        machine->onTimer();
      else
        connector->pump(*machine, machine->nextTimer());
    return machine->result();
  }

  std::unique_ptr<runtime::TaskConnector> connector;
  std::unique_ptr<runtime::ClientMachine> machine;
};

} // namespace graphc::bench

#endif
