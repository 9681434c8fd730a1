// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue of a task with variables for the workers of a between-graph plan, in
// the order that all such tasks keep.
#ifndef GRAPHC_RUNTIME_TASK_UPDATES_UPDATEQUEUE_H
#define GRAPHC_RUNTIME_TASK_UPDATES_UPDATEQUEUE_H

#include "runtime/task/runs/TaskRun.h"
#include "runtime/task/updates/UpdateSequencer.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Of one graph of the source, at one task. Thread-safety: one call at a time.
class UpdateQueue {
public:
  struct Entry {
    SequenceOp kind = SequenceOp::Read;
    RunKey run;
    uint64_t step = 0;
    bool appliesNext = false; ///< the entry that follows is an Apply
  };

  UpdateQueue(const format::Instance &instance, bool isCoordinator);

  /// At the coordinator, else null.
  UpdateSequencer *sequencer() { return made.get(); }

  /// The run of each worker at the coordinator; a run with number 0 is none.
  RunKey runOf(uint32_t worker) const;
  void setRun(uint32_t worker, RunKey run);
  /// The worker's run is over. `isDone`: its steps were made, its client wants
  /// no more of them.
  void forget(uint32_t worker, RunKey run, bool isDone);

  /// Count of workers' runs that were done so far.
  uint64_t doneRuns() const { return ends; }
  /// That count, for a run of the worker that is prepared; of one that goes on
  /// with runs before, which have failed, as it was for the first of those.
  uint64_t begin(uint32_t worker, bool goesOn);
  /// True when the worker's last run was done after the first `ends` ones, and
  /// it has no other since.
  bool isDoneSince(uint32_t worker, uint64_t ends) const {
    return doneAt[worker] > ends;
  }

  // At the coordinator: entries that a follower may not have got. It has those
  // up to a Read when it has arrived at the update of that step.
  void noteSent(TaskId to, const FrameHeader &entry);
  void noteArrived(TaskId from, RunKey run, uint64_t step);
  std::vector<FrameHeader> unconfirmed(TaskId task) const;
  /// The task's process is another one.
  void forgetSent(TaskId task);

  std::string of;
  std::string apply; ///< name of a graph; empty: there is none
  TaskId coordinator = kNoTask;
  uint64_t applied = 0; ///< first version that no Apply has made here
  uint32_t workers = 0;
  uint32_t quorum = 0;       ///< gradients that make an update; 0: each does
  std::deque<Entry> entries; ///< not done yet
  /// Runs that end when the next Apply is done: who reads a variable afterwards
  /// sees all that the run has done.
  std::vector<RunKey> held;
  /// Since when the first entry waits for its client's Go; 0: it does not.
  int64_t blockedSince = 0;

private:
  struct Sent {
    TaskId to = kNoTask;
    FrameHeader entry;
  };

  std::unique_ptr<UpdateSequencer> made;
  std::deque<Sent> sent;
  std::vector<RunKey> runs;     ///< by worker
  std::vector<uint64_t> doneAt; ///< by worker; 0: it is not done
  /// By worker: doneRuns() when what it does was begun; nothing: it is done.
  std::vector<std::optional<uint64_t>> begunAt;
  uint64_t ends = 0;
};

/// FrameHeader::part of an update: an Apply follows.
inline constexpr uint32_t kAppliesNext = 1;

inline uint32_t workerOf(const TaskRun &run) {
  return run.spec().graph->graph->instance()->worker();
}

/// The queue that the run's steps keep to; null: there is none.
UpdateQueue *queueOf(const TaskRun &run);

} // namespace graphc::runtime

#endif
