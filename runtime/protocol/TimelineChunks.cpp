// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/TimelineChunks.h"

#include <string>

namespace graphc::runtime {

void putEvents(std::span<const TimelineEvent> events,
               protocol::Reply::Timeline &message) {
  int64_t before = 0;
  for (const TimelineEvent &event : events) {
    message.add_kinds(static_cast<uint32_t>(event.kind));
    message.add_numbers(event.number);
    message.add_steps(event.step);
    message.add_begins(event.beginNanos - before);
    message.add_durations(
        static_cast<uint64_t>(event.endNanos - event.beginNanos));
    before = event.beginNanos;
  }
}

Status takeEvents(const protocol::Reply::Timeline &message,
                  std::vector<TimelineEvent> &events) {
  int count = message.kinds_size();
  bool fits = size_t(count) <= kMaxTimelineEvents &&
              message.numbers_size() == count &&
              message.steps_size() == count && message.begins_size() == count &&
              message.durations_size() == count;
  if (!fits)
    return invalidArgument("a timeline's columns differ in length, or are "
                           "longer than " +
                           std::to_string(kMaxTimelineEvents));
  int64_t begin = 0;
  for (int i = 0; i < count; ++i) {
    TimelineEvent event;
    int64_t end = 0;
    bool isTime =
        message.durations(i) <= INT64_MAX &&
        !__builtin_add_overflow(begin, message.begins(i), &begin) &&
        !__builtin_add_overflow(begin, int64_t(message.durations(i)), &end);
    if (!isTime || message.kinds(i) >= TimelineEvent::kKinds)
      return invalidArgument("event " + std::to_string(i) +
                             " of a timeline has an impossible time or kind");
    event.kind = static_cast<TimelineEvent::Kind>(message.kinds(i));
    event.number = message.numbers(i);
    event.step = message.steps(i);
    event.beginNanos = begin;
    event.endNanos = end;
    events.push_back(event);
  }
  return Status::ok();
}

} // namespace graphc::runtime
