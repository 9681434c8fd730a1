// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flag --metrics: where a tool serves what it counts.
#ifndef GRAPHC_TOOLS_FLAGS_METRICSFLAG_H
#define GRAPHC_TOOLS_FLAGS_METRICSFLAG_H

#include "runtime/metrics/prometheus/MetricsExposer.h"

#include <memory>
#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace graphc::flags {

void addMetricsFlag(CLI::App &app, std::string &address);

/// INVALID_ARGUMENT where the text is no HOST:PORT; an empty one is none.
runtime::Status checkMetricsFlag(const std::string &address);

/// Serves at the address and prints where to stdout; null where it is empty.
runtime::StatusOr<std::unique_ptr<runtime::MetricsExposer>>
serveMetrics(const std::string &address,
             runtime::MetricsExposer::Source source);

} // namespace graphc::flags

#endif
