// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock that waits and rates are measured with.
#ifndef GRAPHC_RUNTIME_BASE_CLOCK_H
#define GRAPHC_RUNTIME_BASE_CLOCK_H

#include <chrono>
#include <cstdint>

namespace graphc::runtime {

/// Nanoseconds of a clock that never goes back. Only differences mean anything.
inline int64_t nowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace graphc::runtime

#endif
