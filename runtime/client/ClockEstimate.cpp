// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/ClockEstimate.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
/// Sums of a few such times do not overflow.
constexpr int64_t kMaxNanos = int64_t(1) << 60;

bool isTime(int64_t nanos) { return nanos > -kMaxNanos && nanos < kMaxNanos; }
} // namespace

void ClockEstimate::begin() { isOpen = false; }

void ClockEstimate::add(const RoundTrip &trip) {
  if (!isTime(trip.sent) || !isTime(trip.received) || !isTime(trip.replied) ||
      !isTime(trip.arrived))
    return;
  int64_t length = (trip.arrived - trip.sent) - (trip.replied - trip.received);
  if (trip.arrived < trip.sent || trip.replied < trip.received || length < 0)
    return;
  Best best{trip.received + (trip.replied - trip.received) / 2,
            ((trip.sent - trip.received) + (trip.arrived - trip.replied)) / 2,
            length};
  if (isOpen && last->length <= length)
    return;
  // The first measurement replaces itself until another begins.
  bool isFirst = !first || (isOpen && first->at == last->at);
  last = best;
  if (isFirst)
    first = best;
  isOpen = true;
}

int64_t ClockEstimate::toClient(int64_t taskNanos) const {
  if (!first)
    return taskNanos;
  int64_t task = std::clamp(taskNanos, -kMaxNanos, kMaxNanos);
  int64_t span = last->at - first->at;
  if (span <= 0)
    return task + last->offset;
  double drift = static_cast<double>(last->offset - first->offset) /
                 static_cast<double>(span);
  // Before the first measurement and after the last, its offset holds.
  int64_t within = std::clamp(task, first->at, last->at);
  return task + first->offset +
         static_cast<int64_t>(drift * static_cast<double>(within - first->at));
}

int64_t ClockEstimate::offsetNanos() const { return last ? last->offset : 0; }

int64_t ClockEstimate::errorNanos() const {
  return first ? (std::max(first->length, last->length) + 1) / 2 : 0;
}

} // namespace graphc::runtime
