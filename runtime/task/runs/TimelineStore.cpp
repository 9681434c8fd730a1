// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/TimelineStore.h"

#include "runtime/protocol/TimelineChunks.h"

#include <algorithm>

namespace graphc::runtime {

int64_t timelineNanos(const TaskHost &host, const TaskOptions &options) {
  int64_t now = host.nowNanos();
  if (options.clockDriftPpm == 0)
    return now + options.clockOffsetNanos;
  return now + options.clockOffsetNanos +
         static_cast<int64_t>(static_cast<double>(now) * 1e-6 *
                              options.clockDriftPpm);
}

StatusOr<std::shared_ptr<StepTimeline>>
TimelineStore::open(RunKey run, ClientId owner, uint32_t programs,
                    uint32_t ownPrograms, TimelineWindow window) {
  if (timelines.size() >= kMaxTimelines) {
    auto own = std::ranges::find_if(timelines, [&](const auto &entry) {
      return entry.second.owner == owner;
    });
    if (own == timelines.end())
      return resourceExhausted(
          "this task keeps the timelines of " +
          std::to_string(timelines.size()) +
          " runs already; wait for the end of other clients' --profile");
    timelines.erase(own);
  }
  auto made =
      std::make_shared<StepTimeline>(programs, ownPrograms, window, kMaxEvents,
                                     [&host = host, &options = options] {
                                       return timelineNanos(host, options);
                                     });
  timelines[run] = {owner, made};
  return made;
}

Status TimelineStore::read(const RequestKey &key,
                           const protocol::Request::Timeline &request) {
  auto found = timelines.find(keyOf(request.run()));
  if (found == timelines.end() || found->second.owner != key.client)
    return notFound("this task has no timeline of the run, or it was read "
                    "already");
  Reading reading;
  reading.timeline = std::move(found->second.timeline);
  reading.batches = reading.timeline->batches();
  timelines.erase(found);
  requests.open(key);
  reads.insert_or_assign(key, std::move(reading));
  return Status::ok();
}

void TimelineStore::readClock(const RequestKey &key, int64_t receivedNanos) {
  protocol::Reply reply;
  protocol::Reply::ClockReading &clock = *reply.mutable_clock();
  clock.set_received_nanos(receivedNanos);
  clock.set_sent_nanos(timelineNanos(host, options));
  requests.answer(key, std::move(reply));
}

bool TimelineStore::fill(Reading &reading, protocol::Reply &reply) {
  const StepTimeline &timeline = *reading.timeline;
  uint32_t batchTrack = timeline.taskTrack() + 1;
  auto eventsOf = [&](uint32_t track) {
    return track == batchTrack ? std::span<const TimelineEvent>(reading.batches)
                               : timeline.events(track);
  };
  while (reading.track < batchTrack &&
         reading.next >= eventsOf(reading.track).size()) {
    ++reading.track;
    reading.next = 0;
  }
  std::span<const TimelineEvent> events = eventsOf(reading.track);
  size_t count = std::min(kMaxTimelineEvents, events.size() - reading.next);
  protocol::Reply::Timeline &message = *reply.mutable_timeline();
  message.set_track(reading.track);
  putEvents(events.subspan(reading.next, count), message);
  reading.next += count;
  bool isLast = reading.track == batchTrack && reading.next == events.size();
  if (isLast)
    message.set_dropped(timeline.droppedEvents());
  return isLast;
}

bool TimelineStore::pump() {
  bool moved = false;
  for (auto it = reads.begin(); it != reads.end();) {
    auto &[key, reading] = *it;
    if (!clients.canReply(key.client)) {
      ++it;
      continue;
    }
    moved = true;
    protocol::Reply reply;
    if (!fill(reading, reply)) {
      reply.set_id(key.id);
      clients.reply(key.client, std::move(reply));
      ++it;
      continue;
    }
    requests.answer(key, std::move(reply));
    it = reads.erase(it);
  }
  return moved;
}

void TimelineStore::dropClient(ClientId client) {
  std::erase_if(timelines, [&](const auto &entry) {
    return entry.second.owner == client;
  });
  std::erase_if(
      reads, [&](const auto &entry) { return entry.first.client == client; });
}

} // namespace graphc::runtime
