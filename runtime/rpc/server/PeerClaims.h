// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matches processes with tasks, as far as a task has been told.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_PEERCLAIMS_H
#define GRAPHC_RUNTIME_RPC_SERVER_PEERCLAIMS_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/cluster/ClusterSpec.h"
#include "runtime/rpc/service.pb.h"

#include <functional>
#include <map>

namespace graphc::runtime {

/// Thread-safety: any thread.
class PeerClaims {
public:
  /// Checks that `caller` may have a link with the task `self`. ALREADY_EXISTS:
  /// a living process claims to be the same task. FAILED_PRECONDITION: the
  /// caller was started with another cluster or protocol.
  Status check(const Meeting &caller, const Meeting &self,
               const ClusterSpec &cluster,
               const std::function<bool(TaskId)> &isAlive);

  /// True when a peer's refusal is to be reported: once, and again when it
  /// changes. A peer that is not there yet is none.
  bool isNews(TaskId peer, const Status &why);

private:
  Mutex mutex;
  std::map<TaskId, uint64_t> incarnations GRAPHC_GUARDED_BY(mutex);
  std::map<TaskId, std::string> told GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::runtime

#endif
