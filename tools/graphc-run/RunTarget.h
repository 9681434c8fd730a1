// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run works on: a session in this process, or one on a cluster.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_RUNTARGET_H
#define GRAPHC_TOOLS_GRAPHC_RUN_RUNTARGET_H

#include "runtime/checkpoint/Positions.h"
#include "runtime/session/RunRequest.h"
#include "tools/graphc-run/Options.h"

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace graphc::run {

/// The calls of Session and ClusterSession that a run needs.
/// Thread-safety: one call at a time.
class RunTarget {
public:
  virtual ~RunTarget() = default;

  virtual const runtime::Model &model() const = 0;

  /// The graph of --graph, or the only one.
  virtual runtime::StatusOr<const format::Graph *>
  chooseGraph(const std::string &name) const = 0;
  virtual runtime::Status
  checkRequest(const runtime::RunRequest &request) const = 0;

  struct BoundData {
    int64_t examples = 0;
    int64_t batchesPerEpoch = 0;
    int64_t droppedPerEpoch = 0;
  };
  virtual runtime::StatusOr<BoundData>
  bindDataset(const std::string &name, const std::string &files) = 0;

  /// Gives the variables values, for a run of `graph`.
  virtual runtime::Status initialize(const std::string &graph) = 0;
  virtual runtime::Status load(const std::string &path) = 0;
  virtual runtime::Status save(const std::string &path) = 0;

  using StepCallback = std::function<bool(const runtime::StepView &)>;
  virtual runtime::StatusOr<runtime::RunOutcome>
  runSteps(const runtime::RunRequest &request, const StepCallback &onStep) = 0;

  /// Threads that kernels run on here; 0: none.
  virtual int threads() const = 0;

  /// Batches of each dataset that were taken before the next step of a graph.
  virtual runtime::GraphPosition position(const std::string &graph) const = 0;
  /// Steps of the run that were done before it, where it goes on.
  virtual int64_t stepsDone() const { return 0; }

  /// Prints to stderr and adds to the JSON what else is known after the run of
  /// `steps` steps.
  virtual void printMore(const format::Graph &graph, int64_t steps) const {}
  virtual void addTo(nlohmann::ordered_json &json) const {}
  /// Gradients that came too late for an update, of all workers together.
  virtual uint64_t lateGradients() const { return 0; }
  /// Whether steps were asked for: what fails then is for the target to mend.
  virtual bool hasBegun() const { return false; }
  /// Whether initialize() has just given variables values, so that nothing is
  /// trained yet.
  virtual bool hasFirstValues() const { return false; }
};

/// A session in this process.
runtime::StatusOr<std::unique_ptr<RunTarget>>
openLocalTarget(const Options &options);

} // namespace graphc::run

#endif
