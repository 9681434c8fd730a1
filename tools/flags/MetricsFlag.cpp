// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/flags/MetricsFlag.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace graphc::flags {

using namespace runtime;

void addMetricsFlag(CLI::App &app, std::string &address) {
  app.add_option("--metrics", address,
                 "Serve what is counted to Prometheus at "
                 "http://HOST:PORT/metrics; port 0 is any, and is printed")
      ->type_name("HOST:PORT");
}

Status checkMetricsFlag(const std::string &address) {
  if (address.empty())
    return Status::ok();
  StatusOr<TaskAddress> parsed = TaskAddress::parse(address);
  if (!parsed.isOk())
    return parsed.status().annotate("--metrics");
  if (parsed->isUnix())
    return invalidArgument("--metrics takes HOST:PORT, not a unix socket");
  return Status::ok();
}

StatusOr<std::unique_ptr<MetricsExposer>>
serveMetrics(const std::string &address, MetricsExposer::Source source) {
  if (address.empty())
    return std::unique_ptr<MetricsExposer>();
  GRAPHC_ASSIGN_OR_RETURN(TaskAddress where, TaskAddress::parse(address));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<MetricsExposer> exposer,
                          MetricsExposer::start(where, std::move(source)));
  std::printf("metrics at http://%s/metrics\n",
              exposer->address().toString().c_str());
  std::fflush(stdout);
  return exposer;
}

} // namespace graphc::flags
