// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of a timeline as messages of bounded size.
#ifndef GRAPHC_RUNTIME_PROTOCOL_TIMELINECHUNKS_H
#define GRAPHC_RUNTIME_PROTOCOL_TIMELINECHUNKS_H

#include "runtime/base/Status.h"
#include "runtime/base/TimelineEvent.h"
#include "runtime/protocol/cluster.pb.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// Of a message: less than 1 MiB, whatever the events are.
inline constexpr size_t kMaxTimelineEvents = 1 << 14;

/// REQUIRES: no more than kMaxTimelineEvents.
void putEvents(std::span<const TimelineEvent> events,
               protocol::Reply::Timeline &message);

/// Appends the events of a message; INVALID_ARGUMENT where its columns are not
/// those of events. What tracks and numbers mean is left to the caller.
Status takeEvents(const protocol::Reply::Timeline &message,
                  std::vector<TimelineEvent> &events);

} // namespace graphc::runtime

#endif
