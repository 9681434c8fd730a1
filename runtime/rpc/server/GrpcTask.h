// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task of a cluster as a process has it: its thread, its server, and its
// links to other tasks by the best route.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_GRPCTASK_H
#define GRAPHC_RUNTIME_RPC_SERVER_GRPCTASK_H

#include "runtime/rpc/server/GrpcServer.h"
#include "runtime/transport/TaskRunner.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Transport of values to other tasks.
enum class Route {
  Auto, ///< shared memory to tasks on this machine, gRPC to others
  Shm,
  Grpc
};

struct GrpcTaskOptions {
  TaskOptions task; ///< its own address is replaced by where it listens
  LinkOptions links;
  GrpcServerOptions server;
  /// Address at which others reach it; empty: its address in the cluster, with
  /// the port that it listens at if that is 0 there.
  std::string advertise;
  Route route = Route::Auto;
  /// Plans that are there from the start.
  std::vector<std::string> planFiles;
  std::function<void(Severity, std::string_view)> log;
  /// A client asks the process to end.
  std::function<void()> onStop;
};

/// Thread-safety: any thread, but shutDown().
class GrpcTask {
public:
  /// Listens and begins to look for its peers.
  static StatusOr<std::unique_ptr<GrpcTask>> start(GrpcTaskOptions options);
  ~GrpcTask();

  /// Address that it listens at.
  const TaskAddress &address() const;
  /// Address that others are told.
  const std::string &advertised() const;
  std::vector<TaskId> missingPeers() const;
  size_t clients() const;
  /// Everything that the task has counted.
  std::vector<MetricFamily> metrics() const;

  /// Ends all runs with CANCELLED, then everything.
  void shutDown(const std::string &reason);

private:
  struct State;
  GrpcTask();
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
