// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/SimEvents.h"

#include <cinttypes>
#include <cstdio>

using namespace graphc::runtime;

bool SimEvents::runOne(int64_t limit) {
  if (queue.empty() || queue.top().when > limit) {
    time = std::max(time, limit);
    return false;
  }
  // The action may add events; top() is const only to keep the order.
  std::function<void()> action =
      std::move(const_cast<Event &>(queue.top()).action);
  time = queue.top().when;
  queue.pop();
  action();
  return true;
}

void SimEvents::log(std::string_view who, std::string_view text) {
  char stamp[48];
  std::snprintf(stamp, sizeof stamp, "%4" PRId64 ".%06" PRId64 " ",
                time / 1'000'000'000, time % 1'000'000'000 / 1'000);
  lines.append(stamp).append(who).append(": ").append(text).append("\n");
}
