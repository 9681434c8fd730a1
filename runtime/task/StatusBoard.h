// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Publishes what any thread may ask of a task without waiting for it.
#ifndef GRAPHC_RUNTIME_TASK_STATUSBOARD_H
#define GRAPHC_RUNTIME_TASK_STATUSBOARD_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/task/runs/RunKey.h"

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

/// The task's thread puts up what it knows; that costs nothing while steps are
/// made. Thread-safety: waits() and plans(): any thread; all others: the
/// task's.
class StatusBoard {
public:
  /// Of a plan that is loaded.
  struct Plan {
    std::string digest, dataDigest;
    bool isInitialized = false, wasTold = false;
    std::string lost; ///< why the variables have no values any more
    std::map<std::string, uint64_t> nextSteps; ///< by graph
    std::set<std::string> going;               ///< graphs
    std::set<std::string> devices;             ///< of this task, full names
  };

  void setPlans(std::vector<Plan> plans) GRAPHC_EXCLUDES(mutex);
  std::vector<Plan> plans() const GRAPHC_EXCLUDES(mutex);

  void setWaits(protocol::Reply::WaitList list) GRAPHC_EXCLUDES(mutex);
  /// Something happens: what was waited for may be over.
  void clearWaits() { areFresh.store(false, std::memory_order_relaxed); }
  bool hasWaits() const { return areFresh.load(std::memory_order_relaxed); }

  /// Programs of a run are executed, in kernels that may take long.
  void beginWalk(RunKey run, uint64_t step, int64_t now);
  void endWalk() { walkSince.store(0, std::memory_order_relaxed); }

  /// The waits, and the kernel that takes long; `task` names this task.
  protocol::Reply::WaitList waits(const std::string &task, int64_t now) const
      GRAPHC_EXCLUDES(mutex);

private:
  mutable Mutex mutex;
  std::vector<Plan> loaded GRAPHC_GUARDED_BY(mutex);
  protocol::Reply::WaitList waiting GRAPHC_GUARDED_BY(mutex);
  std::atomic<bool> areFresh{false};
  std::atomic<int64_t> walkSince{0}; ///< 0: no programs are executed
  std::atomic<uint64_t> walkStep{0}, walkClient{0}, walkNumber{0};
};

} // namespace graphc::runtime

#endif
