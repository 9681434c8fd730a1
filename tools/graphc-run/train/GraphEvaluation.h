// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a graph over all its data, time and again: what an evaluation is.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_GRAPHEVALUATION_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_GRAPHEVALUATION_H

#include "runtime/session/Session.h"
#include "tools/graphc-run/RunOptions.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphc::run {

/// Thread-safety: one call at a time.
class GraphEvaluation {
public:
  /// `graph` is the one of the source; session and options outlive this.
  GraphEvaluation(runtime::Session &session, std::string graph,
                  const RunOptions &options)
      : session(session), name(std::move(graph)), options(options) {}

  /// Opens the data that --data names; else the first run does.
  runtime::Status open();

  /// Runs the graph over all its data, from their beginning: the means of its
  /// float scalars by "GRAPH/NAME", in which each step counts by its examples:
  /// a last batch that is filled up by those that it has; and the last values
  /// of those that follow from sums, which begin at zero. Later runs go back to
  /// the beginning of data that are open. Summaries of the graph are those of
  /// its first batch, written as of step `trained`.
  runtime::StatusOr<std::map<std::string, double>> run(uint64_t trained);

private:
  /// Batches of a dataset that each step takes.
  struct Reading {
    int64_t batch = 1; ///< examples
    int64_t perStep = 1;
    bool isFilledUp = false; ///< the last batch of a pass
    bool isBound = false;
    runtime::Session::BoundData bound;
  };

  runtime::Status beginPass();
  runtime::Status resetSums();
  double examplesOf(int64_t step) const;
  runtime::StatusOr<runtime::RunOutcome>
  showFirstStep(const format::Graph &graph, const runtime::RunRequest &request,
                const runtime::Session::StepCallback &onStep, uint64_t trained);

  runtime::Session &session;
  const std::string name;
  const RunOptions &options;
  std::map<std::string, Reading> readings; ///< by dataset
  std::set<std::string> soFar; ///< fetches that follow from sums over steps
  bool isOpen = false;
};

} // namespace graphc::run

#endif
