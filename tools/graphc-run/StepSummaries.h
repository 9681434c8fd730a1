// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summaries of steps for TensorBoard, and their log.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_STEPSUMMARIES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_STEPSUMMARIES_H

#include "runtime/session/Session.h"
#include "runtime/summary/SummaryWriter.h"
#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/StepLog.h"

#include <map>
#include <memory>
#include <string>

namespace graphc::run {

/// Scalars of float fetches, histograms of the others and of variables, rates,
/// in every so many steps; the graph once. A failure is noted once, and the run
/// goes on; finish() tells it. Thread-safety: one call at a time.
class StepSummaries {
public:
  /// Null: the flags want none.
  static runtime::StatusOr<std::unique_ptr<StepSummaries>>
  open(runtime::Session &session, const format::Graph &graph,
       int64_t examplesPerStep, const RunOptions &options);

  void onStep(const runtime::StepView &step);
  runtime::Status finish();

private:
  StepSummaries(runtime::Session &session, int64_t examplesPerStep,
                const RunOptions &options)
      : session(session), examplesPerStep(examplesPerStep), options(options) {}
  runtime::Status write(const runtime::StepView &step);
  void writeRates(int64_t step);
  runtime::Status writeVariables(int64_t step);
  void keep(const runtime::Status &status);

  runtime::Session &session;
  const int64_t examplesPerStep;
  const RunOptions &options;
  std::unique_ptr<runtime::SummaryWriter> events; ///< null: none
  std::unique_ptr<StepLog> log;                   ///< null: none
  runtime::Status failure;
  bool hasNoted = false; ///< that events wait for the disk
  int64_t ratedStep = 0; ///< and time, of the rates before; 0: none
  int64_t ratedNanos = 0;
};

/// Metrics of evaluations, "GRAPH/NAME", as events in DIR/eval, as NAME.
/// Thread-safety: one call at a time.
class EvaluationEvents {
public:
  explicit EvaluationEvents(std::string directory)
      : directory(std::move(directory)) {}

  runtime::Status add(uint64_t step,
                      const std::map<std::string, double> &metrics);

private:
  const std::string directory;
  std::unique_ptr<runtime::SummaryWriter> events; ///< null: nothing was added
};

} // namespace graphc::run

#endif
