// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serves metrics over HTTP in Prometheus' text format.
#ifndef GRAPHC_RUNTIME_METRICS_PROMETHEUS_METRICSEXPOSER_H
#define GRAPHC_RUNTIME_METRICS_PROMETHEUS_METRICSEXPOSER_H

#include "runtime/base/Status.h"
#include "runtime/base/TaskAddress.h"
#include "runtime/metrics/MetricRegistry.h"

#include <functional>
#include <memory>

namespace graphc::runtime {

/// GET /metrics, by a few threads of prometheus-cpp's server, which ends
/// requests and connections that take more than some seconds. It has no TLS and
/// no users: whoever reaches the address reads the metrics.
/// Thread-safety: any thread.
class MetricsExposer {
public:
  using Source = std::function<std::vector<MetricFamily>()>;

  /// Listens at the address; port 0 takes any free one. `source` is called by
  /// the server's threads until this goes. INVALID_ARGUMENT for a unix socket;
  /// UNAVAILABLE where it cannot listen there.
  static StatusOr<std::unique_ptr<MetricsExposer>>
  start(const TaskAddress &address, Source source);
  ~MetricsExposer();

  /// Address that it listens at, with the port.
  const TaskAddress &address() const;

private:
  struct State;
  MetricsExposer();
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
