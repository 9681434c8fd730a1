// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Begin and end of instructions, waits and arrivals in some steps of a graph.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPTIMELINE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPTIMELINE_H

#include "runtime/base/Clock.h"
#include "runtime/base/ThreadAnnotations.h"
#include "runtime/base/TimelineEvent.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Has a track per program of the graph, by number, one of the task's steps and
/// one of its batches. Memory is bounded: what is too much is counted and left
/// out. Thread-safety: the events of a track are added by one thread at a time,
/// that which walks the program; they are read between steps. addBatch() may be
/// called by any thread.
class StepTimeline {
public:
  using Event = TimelineEvent;
  using Kind = Event::Kind;

  static constexpr size_t kMaxEvents = 1 << 20; ///< of 32 bytes, all together
  static constexpr size_t kMaxBatches = 1 << 12;

  /// Of a graph with so many programs, of which `recorded` share `maxEvents`.
  /// Without a clock: nowNanos().
  StepTimeline(uint32_t programs, uint32_t recorded, TimelineWindow window,
               size_t maxEvents = kMaxEvents,
               std::function<int64_t()> clock = {})
      : window(window), mostOfTrack(maxEvents / (recorded + 1)),
        clock(std::move(clock)), tracks(programs + 1), dropped(programs + 1) {}

  int64_t now() const { return clock ? clock() : nowNanos(); }

  /// A run begins at that step, from 1; a later one goes on with its count.
  void begin(uint64_t step) {
    if (base == 0)
      base = step;
  }
  /// A step begins at the task.
  void beginStep(uint64_t step) { isActive.store(wants(step)); }
  /// True in a step that is recorded. Thread-safety: any thread.
  bool isRecording() const { return isActive.load(); }
  bool wants(uint64_t step) const {
    return base != 0 && step >= base && window.has(step - base + 1);
  }

  void add(uint32_t track, const Event &event) {
    if (tracks[track].size() < mostOfTrack)
      tracks[track].push_back(event);
    else
      ++dropped[track];
  }
  /// Times of nowNanos(). Thread-safety: any thread.
  void addBatch(uint32_t dataset, int64_t beginNanos, int64_t endNanos) {
    MutexLock lock(mutex);
    if (made.size() < kMaxBatches)
      made.push_back({dataset, Kind::Batch, 0, beginNanos, endNanos});
  }

  uint32_t programs() const { return static_cast<uint32_t>(tracks.size() - 1); }
  /// Number of the track that has the task's steps.
  uint32_t taskTrack() const { return programs(); }
  std::span<const Event> events(uint32_t track) const { return tracks[track]; }
  /// Batches made in the steps recorded, by this timeline's clock.
  std::vector<Event> batches() const {
    int64_t offset = now() - nowNanos();
    MutexLock lock(mutex);
    std::vector<Event> all = made;
    for (Event &event : all) {
      event.beginNanos += offset;
      event.endNanos += offset;
    }
    return all;
  }
  uint64_t droppedEvents() const {
    uint64_t sum = 0;
    for (uint64_t each : dropped)
      sum += each;
    return sum;
  }

private:
  const TimelineWindow window;
  const size_t mostOfTrack;
  const std::function<int64_t()> clock;
  uint64_t base = 0; ///< the run's first step; 0: it has not begun
  std::atomic<bool> isActive{false};
  std::vector<std::vector<Event>> tracks;
  std::vector<uint64_t> dropped; ///< by track
  mutable Mutex mutex;
  std::vector<Event> made GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::runtime

#endif
