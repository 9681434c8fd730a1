// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the progress of the steps, and keeps their results and times.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_STEPREPORT_H
#define GRAPHC_TOOLS_GRAPHC_RUN_STEPREPORT_H

#include "runtime/session/Session.h"
#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/StepDurations.h"
#include "tools/graphc-run/monitor/ProgressLine.h"

#include <nlohmann/json.hpp>

namespace graphc::run {

/// Prints lines such as
///   step 10: loss = 0.1234, 35210 examples/s, 0.0028 s/batch
/// and between them the progress: on a terminal a line that is rewritten.
/// Thread-safety: one call at a time.
class StepReport {
public:
  /// `plannedSteps` 0: not known. `examplesPerStep` 0: not known.
  /// `areTogether`: results come for many steps at once, as those of a cluster
  /// do, so that the time between two is not that of a step.
  StepReport(const RunOptions &options, int64_t plannedSteps,
             int64_t examplesPerStep, bool areTogether);
  ~StepReport();

  /// Looks at a step that is done. `isLast`: its fetches are the results.
  void onStep(const runtime::StepView &step, bool isLast);

  /// Prints what is known only at the end.
  void finish();

  /// The fetches of the last step.
  const std::vector<runtime::NamedTensor> &results() const { return last; }
  int64_t steps() const { return stepCount; }

  /// Adds "fetches", "mean", "history", "seconds", "step_seconds" (without the
  /// first step: median and min, or the mean where results come together) and
  /// "examples_per_second".
  void addTo(nlohmann::ordered_json &json) const;

private:
  struct Mean {
    std::string name;
    double sum;
  };

  void addStepSeconds(nlohmann::ordered_json &json) const;
  void addToMeans(const runtime::StepView &step);
  void printLine(const runtime::StepView &step, int64_t now);
  void printProgress(const runtime::StepView &step, int64_t at, int64_t now);
  void printResults() const;
  std::string rates(int64_t nanos, int64_t steps) const;

  const RunOptions &options;
  const int64_t plannedSteps;
  const int64_t examplesPerStep;
  const bool areTogether;
  const int64_t startNanos;
  int64_t lineNanos; ///< time and step of the last line
  int64_t lineSteps = 0;
  ProgressLine progress;
  int64_t firstNanos = 0; ///< when the first step's results came
  int64_t endNanos;
  int64_t leftNanos = 0; ///< when the last step had been looked at
  StepDurations stepTimes;
  int64_t stepCount = 0;
  std::vector<Mean> means;
  std::vector<runtime::NamedTensor> last;
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
};

} // namespace graphc::run

#endif
