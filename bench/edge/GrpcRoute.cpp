// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tasks with --route=grpc run a plan of models/edge.tfir.in for a client: a
// value per step.
#include "bench/PlanClient.h"
#include "bench/edge/Announcement.h"
#include "bench/edge/Processes.h"
#include "runtime/rpc/server/GrpcTask.h"

using namespace graphc::bench;
using namespace graphc::runtime;

namespace {

/// Asked for at once: so much that the client does not count.
constexpr size_t kBytesAtOnce = 256 << 20;

constexpr const char *kHost = "127.0.0.1:";

std::unique_ptr<GrpcTask> start(TaskId self, uint16_t workerPort) {
  auto cluster =
      ClusterSpec::make({{"ps", 0, kHost + std::string("0")},
                         {"worker", 0, kHost + std::to_string(workerPort)}});
  if (!cluster.isOk())
    fail(cluster.status().toString());
  GrpcTaskOptions options;
  options.task.cluster = *cluster;
  options.task.self = self;
  options.task.incarnation = self + 1;
  options.task.threads = 1;
  options.server.bind = *TaskAddress::parse(kHost + std::string("0"));
  options.route = Route::Grpc;
  options.log = [](Severity, std::string_view) {};
  options.onStop = [] {};
  auto task = GrpcTask::start(std::move(options));
  if (!task.isOk())
    fail(task.status().toString());
  return std::move(*task);
}

/// A task of this process, for as long as that lives.
[[noreturn]] void serve(TaskId self, uint16_t workerPort,
                        const Announcement &port) {
  auto task = start(self, workerPort);
  port.write(task->address().port);
  for (;;)
    ::pause();
}

void ask(const Task &task, uint16_t port) {
  PlanClient client(task.plan, kHost + std::to_string(port));
  client.initialize();
  client.run.graph = "step";
  client.run.lastOnly = true;
  size_t steps = std::max<size_t>(kBytesAtOnce / task.bytes, 16);
  client.steps(int64_t(kWarmUp));
  measure(task, [&] { client.steps(int64_t(steps)); }, steps);
}

} // namespace

// The client has a process of its own: threads of one process that wait for
// gRPC wake each other.
void graphc::bench::runGrpc(const Task &task) {
  Announcement worker, ps;
  auto runPs = [&] { serve(0, worker.read(), ps); };
  auto runClient = [&] { ask(task, ps.read()); };
  runBoth([&] { serve(1, 0, worker); },
          [&] { runBoth(runPs, runClient, Cores::Any); }, Cores::Any);
}
