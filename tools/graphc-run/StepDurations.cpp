// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/StepDurations.h"

#include <algorithm>

namespace graphc::run {

StepDurations::StepDurations(size_t capacity) : capacity(capacity) {
  kept.reserve(capacity);
}

void StepDurations::add(int64_t nanos) {
  shortest = seen == 0 ? nanos : std::min(shortest, nanos);
  if (seen++ % stride != 0)
    return;
  if (kept.size() == capacity) {
    size_t half = 0;
    for (size_t i = 0; i < kept.size(); i += 2)
      kept[half++] = kept[i];
    kept.resize(half);
    stride *= 2;
  }
  kept.push_back(nanos);
}

double StepDurations::median() const {
  std::vector<int64_t> sorted = kept;
  std::sort(sorted.begin(), sorted.end());
  size_t upper = sorted.size() / 2;
  size_t lower = (sorted.size() - 1) / 2;
  return (static_cast<double>(sorted[lower]) +
          static_cast<double>(sorted[upper])) /
         2;
}

} // namespace graphc::run
