// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the checkpoints and recoveries of a run.
#ifndef GRAPHC_RUNTIME_METRICS_CHECKPOINTCOUNTS_H
#define GRAPHC_RUNTIME_METRICS_CHECKPOINTCOUNTS_H

#include "runtime/metrics/MetricNames.h"
#include "runtime/metrics/MetricRegistry.h"

namespace graphc::runtime {

/// Thread-safety: one checkpoint at a time, one recovery at a time.
class CheckpointCounts {
public:
  /// The registry outlives this.
  explicit CheckpointCounts(MetricRegistry &registry)
      : written(registry.value(metrics::kCheckpoints)),
        failed(registry.value(metrics::kCheckpointFailures)),
        recovered(registry.value(metrics::kRecoveries)),
        seconds(registry.histogram(metrics::kCheckpointSeconds)) {}

  void noteWrite(bool isWritten, int64_t nanos) {
    (isWritten ? written : failed).add(1);
    if (isWritten)
      seconds.observe(static_cast<double>(nanos) * 1e-9);
  }
  void noteRecovery() { recovered.add(1); }

private:
  MetricValue &written, &failed, &recovered;
  MetricHistogram &seconds;
};

} // namespace graphc::runtime

#endif
