// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/metrics/ProcessMetrics.h"

#include "runtime/metrics/MetricNames.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace graphc::runtime {

uint64_t residentBytes() {
  std::FILE *file = std::fopen("/proc/self/statm", "re");
  if (!file)
    return 0;
  unsigned long long pages = 0;
  if (std::fscanf(file, "%*u %llu", &pages) != 1)
    pages = 0;
  std::fclose(file);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void addProcessMetrics(MetricRegistry &registry) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  registry.value(metrics::kStartTime)
      .set(std::chrono::duration<double>(now).count());
  MetricValue &resident = registry.value(metrics::kResident);
  registry.addProbe(
      [&resident] { resident.set(static_cast<double>(residentBytes())); });
}

} // namespace graphc::runtime
