// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/Timeline.h"

#include <algorithm>
#include <set>

namespace graphc::emulator {

void Clock::set(uint32_t lane, uint32_t tick) {
  if (lane >= ticks.size())
    ticks.resize(lane + 1);
  ticks[lane] = tick;
}

void Clock::join(const Clock &other) {
  if (ticks.size() < other.ticks.size())
    ticks.resize(other.ticks.size());
  for (size_t lane = 0; lane < other.ticks.size(); ++lane)
    ticks[lane] = std::max(ticks[lane], other.ticks[lane]);
}

OperationId Timeline::begin(uint32_t lane, Clock &clock,
                            const std::string &name) {
  // There are few names and many operations.
  static std::set<std::string> names;
  uint32_t tick = clock.at(lane) + 1;
  records.push_back({lane, tick, &*names.insert(name).first});
  if (firstTraced)
    addToTrace(clock);
  clock.set(lane, tick);
  return static_cast<OperationId>(records.size() - 1);
}

void Timeline::startTrace() {
  firstTraced = static_cast<OperationId>(records.size());
  traceText.clear();
}

/// The newest operation that the clock knows.
void Timeline::addToTrace(const Clock &clock) {
  auto newest = static_cast<OperationId>(records.size() - 1);
  std::string others;
  for (OperationId other = firstTraced; other < newest; ++other)
    if (!isBefore(other, clock))
      others += " " + std::to_string(other - firstTraced + 1);
  traceText += std::to_string(newest - firstTraced + 1) + " " + name(newest) +
               (others.empty() ? "" : " beside" + others) + "\n";
}

} // namespace graphc::emulator
