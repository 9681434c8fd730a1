// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends a training before its steps or its data do: by time, a metric, a file.
#ifndef GRAPHC_RUNTIME_SESSION_TRAIN_TRAINCONTROL_H
#define GRAPHC_RUNTIME_SESSION_TRAIN_TRAINCONTROL_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/session/RunRequest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphc::runtime {

/// A metric and which of its values are better.
struct MetricGoal {
  std::string metric;
  bool isLargerBetter = false;
};

struct TrainLimits {
  double seconds = 0;                 ///< of this process; 0: no limit
  std::string stopFile{};             ///< whose appearance ends the training
  std::optional<MetricGoal> target{}; ///< reached at targetValue
  double targetValue = 0;
  std::optional<MetricGoal> best{};
  int64_t patience = 0; ///< evaluations without a better `best`; 0: no limit
  /// File with a line for each evaluation, so that a training that goes on
  /// knows those before; empty: none.
  std::string evaluations{};
};

/// Metrics are float scalars among the fetches, by their names, and the means
/// of those of an evaluation, by "GRAPH/NAME".
/// Thread-safety: any thread.
class TrainControl {
public:
  /// Time counts from here.
  explicit TrainControl(TrainLimits limits);

  /// Before the first step: evaluations after `step` are made again.
  Status resume(uint64_t step);

  /// Looks at a step that was made; false: the training is to end. Takes a
  /// microsecond at most, but for a look at the stop file four times a second.
  bool onStep(const StepView &step);

  /// The same for the metrics of an evaluation. UNKNOWN and others where the
  /// file of evaluations cannot be written.
  StatusOr<bool> onEvaluation(uint64_t step,
                              const std::map<std::string, double> &metrics);

  /// Reason for which it is to end; empty: it is not.
  std::string why() const;
  /// The latest value of each metric.
  std::map<std::string, double> metrics() const;

private:
  void end(const std::string &reason) GRAPHC_REQUIRES(mutex);
  void look(const std::string &metric, double value) GRAPHC_REQUIRES(mutex);
  void noteBest(double value) GRAPHC_REQUIRES(mutex);

  const TrainLimits limits;
  const int64_t startNanos;
  mutable Mutex mutex;
  int64_t lookedNanos GRAPHC_GUARDED_BY(mutex) = 0;
  std::string reason GRAPHC_GUARDED_BY(mutex);
  std::map<std::string, double> values GRAPHC_GUARDED_BY(mutex);
  std::optional<double> bestValue GRAPHC_GUARDED_BY(mutex);
  int64_t sinceBest GRAPHC_GUARDED_BY(mutex) = 0;
};

} // namespace graphc::runtime

#endif
