// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a command runs, and serves it to Prometheus.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_MONITOR_RUNMONITOR_H
#define GRAPHC_TOOLS_GRAPHC_RUN_MONITOR_RUNMONITOR_H

#include "runtime/metrics/CheckpointCounts.h"
#include "runtime/metrics/prometheus/MetricsExposer.h"
#include "runtime/session/RunRequest.h"

#include <map>
#include <memory>
#include <string>

namespace graphc::run {

/// One per command, shared by the clients of its workers.
class RunMonitor {
public:
  /// Serves at HOST:PORT, and prints where.
  static runtime::StatusOr<std::shared_ptr<RunMonitor>>
  open(const std::string &address);

  runtime::MetricRegistry &registry() { return all; }
  runtime::CheckpointCounts &checkpoints() { return saved; }

private:
  RunMonitor();

  runtime::MetricRegistry all;
  runtime::CheckpointCounts saved;
  std::unique_ptr<runtime::MetricsExposer> exposer; ///< ends before the others
};

/// The steps that one client sees. Thread-safety: one call at a time.
class StepCounts {
public:
  /// `monitor` null: nothing is counted.
  StepCounts(std::shared_ptr<RunMonitor> monitor, const std::string &graph,
             int64_t examplesPerStep);

  void onStep(const runtime::StepView &step);

private:
  std::shared_ptr<RunMonitor> monitor;
  const std::string graph;
  const double examplesPerStep;
  runtime::MetricValue *steps = nullptr, *last = nullptr, *examples = nullptr;
  runtime::MetricHistogram *seconds = nullptr;
  std::map<size_t, runtime::MetricValue *> fetches; ///< by their number
  int64_t begunNanos = 0;
};

} // namespace graphc::run

#endif
