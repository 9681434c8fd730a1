// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks all tasks of a cluster for their metrics, again and again.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_CLUSTERPOLLER_H
#define GRAPHC_TOOLS_GRAPHC_TOP_CLUSTERPOLLER_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/cluster/ClusterSpec.h"
#include "runtime/rpc/Credentials.h"
#include "tools/graphc-top/TaskView.h"

#include <condition_variable>
#include <functional>
#include <thread>
#include <vector>

namespace graphc::top {

/// One thread per task, so that one that does not answer holds up no other.
/// Thread-safety: any thread.
class ClusterPoller {
public:
  /// Begins to ask, every `seconds`.
  ClusterPoller(runtime::ClusterSpec cluster, runtime::Credentials credentials,
                double seconds);
  /// Waits for answers that are on their way: two seconds at most.
  ~ClusterPoller();

  std::vector<TaskView> views() const GRAPHC_EXCLUDES(mutex);
  /// Grows with each answer.
  uint64_t version() const GRAPHC_EXCLUDES(mutex);
  /// Until each task was asked so often, or `isStopRequested`.
  void await(uint64_t rounds, const std::function<bool()> &isStopRequested)
      GRAPHC_EXCLUDES(mutex);

private:
  void poll(size_t task) GRAPHC_EXCLUDES(mutex);
  bool rest(int64_t untilNanos) GRAPHC_EXCLUDES(mutex);

  const runtime::ClusterSpec cluster;
  const runtime::Credentials credentials;
  const double seconds;
  mutable runtime::Mutex mutex;
  std::condition_variable changed;
  std::vector<TaskView> latest GRAPHC_GUARDED_BY(mutex); ///< by task
  std::vector<uint64_t> rounds GRAPHC_GUARDED_BY(mutex); ///< by task
  uint64_t answers GRAPHC_GUARDED_BY(mutex) = 0;
  bool isEnding GRAPHC_GUARDED_BY(mutex) = false;
  std::vector<std::thread> threads;
};

} // namespace graphc::top

#endif
