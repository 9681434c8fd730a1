// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and start of this process, which every watcher asks for.
#ifndef GRAPHC_RUNTIME_METRICS_PROCESSMETRICS_H
#define GRAPHC_RUNTIME_METRICS_PROCESSMETRICS_H

#include "runtime/metrics/MetricRegistry.h"

namespace graphc::runtime {

/// Bytes of this process that are in memory; 0: not known.
uint64_t residentBytes();

/// Adds process_resident_memory_bytes, which is read at each collect(), and
/// process_start_time_seconds, which is that of the call.
void addProcessMetrics(MetricRegistry &registry);

} // namespace graphc::runtime

#endif
