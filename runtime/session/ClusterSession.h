// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the graphs of a compiled model on a cluster: Session's sister, with the
// same calls.
//
//   auto session = ClusterSession::connect("model.bin", "grpc://host:2222",
//   {}); session->initialize(); session->runSteps({.graph = "train", .steps =
//   1000}, onStep);
#ifndef GRAPHC_RUNTIME_SESSION_CLUSTERSESSION_H
#define GRAPHC_RUNTIME_SESSION_CLUSTERSESSION_H

#include "runtime/cluster/TaskConnector.h"
#include "runtime/session/RunRequest.h"

namespace graphc::runtime {

/// Thread-safety: one call at a time, but for cancel().
class ClusterSession {
public:
  /// `cluster` has the addresses.
  static StatusOr<std::unique_ptr<ClusterSession>>
  open(std::shared_ptr<const Model> plan, ClusterSpec cluster,
       std::unique_ptr<TaskConnector> connector, ClientOptions options);
  ~ClusterSession();

  const Model &model() const;
  Status initialize();
  StatusOr<protocol::Reply::Bound> bindDataset(std::string_view name,
                                               std::string_view files);
  Status checkRequest(const RunRequest &request) const;
  using StepCallback = std::function<bool(const StepView &)>;
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep);
  StatusOr<std::vector<HostTensor>> run(const RunRequest &request);
  StatusOr<HostTensor> readVariable(std::string_view name);
  Status writeVariable(std::string_view name, const HostTensor &value);
  Status save(const std::string &path);
  Status load(const std::string &path);
  /// Of the last run.
  const ClientMachine::Outcome &outcome() const;
  /// Any thread.
  void cancel();

private:
  struct State;
  ClusterSession();
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
