// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session that a command line runs, and what is printed about it.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_RUNTARGET_H
#define GRAPHC_TOOLS_GRAPHC_RUN_RUNTARGET_H

#include "runtime/client/RunTimeline.h"
#include "runtime/session/CheckpointedRun.h"
#include "runtime/summary/GraphEvent.h"
#include "tools/graphc-run/RunOptions.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace graphc::run {

/// Thread-safety: one call at a time.
class RunTarget {
public:
  virtual ~RunTarget() = default;

  virtual runtime::Session &session() = 0;
  /// The run of the command line.
  virtual runtime::CheckpointedRun &run() = 0;

  /// Threads that kernels run on here; 0: none.
  virtual int threads() const { return 0; }

  /// Prints to stderr and adds to the JSON what else is known after the run of
  /// `steps` steps.
  virtual void printMore(const format::Graph &graph, int64_t steps) const {}
  /// Timelines of the graph's last run, by the clock of this process: that of
  /// this process, or of each task. No tasks: nothing was recorded. Asked once.
  virtual runtime::StatusOr<runtime::RunTimeline>
  timeline(const format::Graph &graph) {
    return runtime::RunTimeline();
  }
  virtual void addTo(const format::Graph &graph, int64_t steps,
                     nlohmann::ordered_json &json) const {}
  /// Times of the ops of a step of a run of `steps` steps, the first one left
  /// out; empty: none were taken.
  virtual std::vector<runtime::NodeTime> times(const format::Graph &graph,
                                               int64_t steps) const {
    return {};
  }
  /// Gradients that came too late for an update, of all workers together.
  virtual uint64_t lateGradients() const { return 0; }
};

/// A session in this process.
runtime::StatusOr<std::unique_ptr<RunTarget>>
openLocalTarget(const RunOptions &options);

/// Prints a note to stderr, unless the user wants none.
void printNote(const RunOptions &options, const std::string &text);

/// The flags that are about checkpoints.
runtime::CheckpointOptions checkpointOptions(const RunOptions &options);

} // namespace graphc::run

#endif
