// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timelines of runs, until their clients have read them.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_TIMELINESTORE_H
#define GRAPHC_RUNTIME_TASK_RUNS_TIMELINESTORE_H

#include "runtime/executor/StepTimeline.h"
#include "runtime/task/OpenRequests.h"
#include "runtime/task/TaskOptions.h"
#include "runtime/task/runs/RunKey.h"

#include <map>
#include <memory>

namespace graphc::runtime {

/// Clock of a task's timelines: that of its host, and the error that tests give
/// it.
int64_t timelineNanos(const TaskHost &host, const TaskOptions &options);

/// A timeline outlives its run, so that the client of a run that failed can
/// still ask for it. Memory is bounded: each has a limit, and there are only so
/// many. Thread-safety: one call at a time.
class TimelineStore {
public:
  static constexpr size_t kMaxTimelines = 8;
  static constexpr size_t kMaxEvents = 1 << 19; ///< of each timeline

  /// All outlive the store.
  TimelineStore(const TaskOptions &options, const TaskHost &host,
                OpenRequests &requests, ClientChannel &clients)
      : options(options), host(host), requests(requests), clients(clients) {}

  /// Makes a run's timeline. RESOURCE_EXHAUSTED: other clients have too many;
  /// an older one of the same client goes.
  StatusOr<std::shared_ptr<StepTimeline>> open(RunKey run, ClientId owner,
                                               uint32_t programs,
                                               uint32_t ownPrograms,
                                               TimelineWindow window);

  /// Answers by pump(); the timeline is gone then.
  Status read(const RequestKey &key,
              const protocol::Request::Timeline &request);
  /// Answers at once.
  void readClock(const RequestKey &key, int64_t receivedNanos);

  /// Sends a message of each timeline that is read; false: none.
  bool pump();
  void dropClient(ClientId client);
  size_t size() const { return timelines.size(); }

private:
  struct Kept {
    ClientId owner = 0;
    std::shared_ptr<StepTimeline> timeline;
  };
  struct Reading {
    std::shared_ptr<StepTimeline> timeline;
    std::vector<TimelineEvent> batches;
    uint32_t track = 0;
    size_t next = 0; ///< event of the track
  };

  /// The next message; true: it is the last.
  static bool fill(Reading &reading, protocol::Reply &reply);

  const TaskOptions &options;
  const TaskHost &host;
  OpenRequests &requests;
  ClientChannel &clients;
  std::map<RunKey, Kept> timelines;
  std::map<RequestKey, Reading> reads;
};

} // namespace graphc::runtime

#endif
