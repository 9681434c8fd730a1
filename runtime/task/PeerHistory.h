// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// History of the incarnations of a task's peers.
#ifndef GRAPHC_RUNTIME_TASK_PEERHISTORY_H
#define GRAPHC_RUNTIME_TASK_PEERHISTORY_H

#include "runtime/cluster/TaskId.h"

#include <cstdint>
#include <map>
#include <set>

namespace graphc::runtime {

/// Thread-safety: one call at a time.
class PeerHistory {
public:
  enum class Arrival {
    Known,    ///< as before, or for the first time
    Returned, ///< the same process, after its link was lost
    Restarted ///< another process, which knows nothing of the one before
  };
  Arrival onUp(TaskId peer, uint64_t incarnation);
  void onDown(TaskId peer) { lost.insert(peer); }

  /// True once per peer: that it broke the protocol is logged once.
  bool reportOnce(TaskId peer) { return reported.insert(peer).second; }

private:
  std::map<TaskId, uint64_t> incarnations; ///< of peers that were up
  std::set<TaskId> lost; ///< that were up or wanted, and are not at present
  std::set<TaskId> reported;
};

} // namespace graphc::runtime

#endif
