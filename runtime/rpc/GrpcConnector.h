// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Connects clients with the tasks of a cluster over gRPC.
#ifndef GRAPHC_RUNTIME_RPC_GRPCCONNECTOR_H
#define GRAPHC_RUNTIME_RPC_GRPCCONNECTOR_H

#include "runtime/client/TaskConnector.h"
#include "runtime/rpc/Credentials.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// A client's conversations with all tasks. Everything happens on the thread
/// that calls pump(), so a step costs no change of threads here. A conversation
/// that was cut is opened again at the next send(): a Describe then waits until
/// the task is there, anything else for a second at most.
class GrpcConnector final : public TaskConnector {
public:
  /// INVALID_ARGUMENT where a task has no address that can be called.
  static StatusOr<std::unique_ptr<TaskConnector>>
  create(const ClusterSpec &cluster, const Credentials &credentials);
  ~GrpcConnector() override;

  void send(TaskId task, protocol::Request request) override;
  void pump(ClientMachine &machine, int64_t untilNanos) override;
  void interrupt() override;

private:
  struct State;
  GrpcConnector();
  std::unique_ptr<State> state;
};

/// Callbacks of a search for a cluster.
struct SearchEvents {
  /// After a second, once: whom it waits for, for how long, and why.
  std::function<void(std::string_view text)> onWait;
  /// Asked twenty times a second; true ends the search with CANCELLED.
  std::function<bool()> isStopRequested;
};

/// The cluster as one of its tasks knows it. Targets are "grpc://host:port",
/// "host:port" or "unix:/path"; the first that answers counts. UNAVAILABLE that
/// names the targets where none does in time.
StatusOr<ClusterSpec> discoverCluster(std::span<const std::string> targets,
                                      const Credentials &credentials,
                                      int64_t timeoutNanos,
                                      const SearchEvents &events = {});

/// One request to a task, and its last reply. UNAVAILABLE: nobody listens
/// there; DEADLINE_EXCEEDED: someone does, but does not answer.
StatusOr<protocol::Reply> callTask(const std::string &address,
                                   protocol::Request request,
                                   const Credentials &credentials,
                                   int64_t timeoutNanos);

} // namespace graphc::runtime

#endif
