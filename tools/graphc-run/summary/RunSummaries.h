// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the summaries and the log of a run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_RUNSUMMARIES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_RUNSUMMARIES_H

#include "report/Report.h"
#include "runtime/session/CheckpointedRun.h"
#include "runtime/summary/SummaryWriter.h"
#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/summary/MlflowLog.h"
#include "tools/graphc-run/summary/StepLog.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace graphc::run {

/// One per command. A failure to write ends no run: it is noted once, and
/// finish() returns it. Thread-safety: one call at a time.
class RunSummaries {
public:
  /// Opens the files, so that a long run does not end in a failure.
  static runtime::StatusOr<std::shared_ptr<RunSummaries>>
  open(const RunOptions &options);

  /// Has the variables looked at between steps.
  void addTo(runtime::CheckpointOptions &how);

  /// Names the session and the graph whose steps follow; called again when
  /// another session goes on with them. Both outlive the steps.
  void begin(runtime::Session &session, const format::Graph &graph);

  /// Looks at a step that is done.
  void onStep(const runtime::StepView &step, bool isLast);

  /// Writes the values of the graph's summary operations, those of an
  /// evaluation as of `step`.
  void addOps(const format::Graph &variant, const runtime::StepView &values,
              std::optional<uint64_t> step = std::nullopt);
  /// True where summaries are written.
  bool hasWriter() const { return writer != nullptr; }

  /// Adds the metrics of an evaluation.
  void addMetrics(const std::map<std::string, double> &metrics, uint64_t step);

  /// Times of ops in a step, for the page of the graph. Names that end in "and
  /// N more" are those of kernels, shown at their first op.
  void addTimes(std::vector<runtime::NodeTime> times);

  /// Writes what waits; the first failure of the run.
  runtime::Status finish();

private:
  RunSummaries(const RunOptions &options) : options(options) {}
  void beginEvents();
  void addGraph();
  runtime::Hparams hparams() const;
  void addFetch(const runtime::StepView &step, size_t fetch);
  void addImages(const std::string &name, const runtime::TensorType &type,
                 std::span<const std::byte> bytes, int64_t step);
  void addHistogram(const std::string &name, runtime::DType dtype,
                    std::span<const std::byte> bytes, int64_t step);
  void addRates(int64_t step);
  void addVariables(uint64_t step);
  void noteLog(const runtime::Status &status);
  void noteFailure(const runtime::Status &status);

  const RunOptions &options;
  std::optional<report::Report> report; ///< of the model, if it has one
  std::unique_ptr<runtime::SummaryWriter> writer; ///< null: no --summary-dir
  std::unique_ptr<StepLog> log;                   ///< null: no such --log
  std::unique_ptr<MlflowLog> mlflow;              ///< null: no such --log
  runtime::Session *session = nullptr;
  const format::Graph *graph = nullptr;
  std::set<std::string> nodes;   ///< of the graph
  std::set<std::string> tags;    ///< of its summary operations
  std::set<std::string> skipped; ///< tags that were noted to have no summary
  bool hasBegun = false;
  int64_t examplesPerStep = 0;
  int64_t lastStep = 0;   ///< that was looked at
  int64_t rateSteps = 0;  ///< since the last write of rates
  double rateSeconds = 0; ///< of them, where steps have times of their own
  int64_t rateNanos = 0;  ///< when they began
  runtime::Status logFailure;
  bool isFailureNoted = false;
};

} // namespace graphc::run

#endif
