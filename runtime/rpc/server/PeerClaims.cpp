// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/PeerClaims.h"

namespace graphc::runtime {

Status PeerClaims::check(const Meeting &caller, const Meeting &self,
                         const ClusterSpec &cluster,
                         const std::function<bool(TaskId)> &isAlive) {
  std::string selfName = cluster.task(self.task()).name();
  if (caller.protocol() != self.protocol())
    return failedPrecondition(
        selfName + " speaks protocol " + std::to_string(self.protocol()) +
        ", the caller " + std::to_string(caller.protocol()) +
        "; run the same version of graphc-server everywhere");
  if (caller.cluster_digest() != self.cluster_digest())
    return failedPrecondition(
        selfName + " was started with another cluster than the caller; all "
                   "tasks need the same jobs and indices");
  if (caller.task() >= self.task()) // the lower one calls
    return invalidArgument("task number " + std::to_string(caller.task()) +
                           " does not call " + selfName);
  if (caller.incarnation() == 0)
    return invalidArgument("the caller has no incarnation");
  MutexLock lock(mutex);
  uint64_t &known = incarnations[caller.task()];
  if (known != 0 && known != caller.incarnation() && isAlive(caller.task()))
    return {StatusCode::AlreadyExists, "another process claims to be " +
                                           cluster.task(caller.task()).name() +
                                           " and is connected with " +
                                           selfName + "; stop one of them"};
  known = caller.incarnation();
  return Status::ok();
}

bool PeerClaims::isNews(TaskId peer, const Status &why) {
  bool isRefusal = why.code() != StatusCode::Unavailable &&
                   why.code() != StatusCode::DeadlineExceeded &&
                   why.code() != StatusCode::Cancelled;
  MutexLock lock(mutex);
  if (!isRefusal || told[peer] == why.message())
    return false;
  told[peer] = why.message();
  return true;
}

} // namespace graphc::runtime
