// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of a graph as its client knows it, while tasks keep it prepared.
#ifndef GRAPHC_RUNTIME_CLIENT_PREPAREDRUN_H
#define GRAPHC_RUNTIME_CLIENT_PREPAREDRUN_H

#include "runtime/client/ClientState.h"

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace graphc::runtime {

/// A run that tasks have prepared. It stays so while steps do not fail, so that
/// later calls for the same graph and fetches cost one round trip.
/// Thread-safety: one call at a time.
class PreparedRun {
public:
  /// One task that takes part.
  struct Participant {
    TaskId task = kNoTask;
    std::vector<uint32_t> fetches; ///< places in the run's list
    std::vector<size_t> sizes;     ///< of them, in bytes
    size_t stepBytes = 0;          ///< their sum
    std::string values;            ///< of steps not given to the caller yet
    size_t given = 0;              ///< bytes at the front that were given
    uint64_t joined = 0;           ///< the first step that an attached run got
    uint64_t received = 0;         ///< steps, of the Go that runs
    uint64_t waiting = 0;          ///< steps among `values`
    /// Steps received by the end of each message, and its seconds per step.
    std::deque<std::pair<uint64_t, double>> times;
    uint64_t done = 0; ///< steps that it reports as done
    bool hasEnded = false;
  };

  const format::Graph *graph = nullptr;
  std::vector<std::string> fetchNames;
  /// Another client's run, to which this one listens, be it going already.
  bool isAttached = false;
  protocol::RunId id;
  std::vector<Participant> participants;
  std::vector<std::vector<std::byte>> feeds; ///< values, in the graph's order
  uint64_t nextStep = 0;
  int64_t stepsAvailable = -1; ///< -1: no end
  bool isGoing = false;
  TimelineWindow recorded;

  bool hasTask(TaskId task) const;
  /// True when tasks have these values, in the graph's order.
  bool hasFeeds(std::span<const NamedTensor *const> values) const;
  /// Tells all tasks to forget it; nobody waits for them.
  void release(ClientMachine::State &state) const;
  /// The requests that do so, by task.
  void forEachRelease(
      const std::function<void(TaskId, protocol::Request)> &send) const;
};

} // namespace graphc::runtime

#endif
