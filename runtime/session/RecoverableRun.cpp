// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/RecoverableRun.h"

#include <utility>

namespace graphc::runtime {

RecoverableRun::RecoverableRun(Open open, CheckpointOptions options)
    : open(std::move(open)), options(std::move(options)) {
  if (!this->options.store && !this->options.file.empty())
    this->options.store = checkpointFile(this->options.file);
}

Status RecoverableRun::execute(const Body &body) {
  Status status = attempt(body);
  for (int64_t left = options.recoveries; !status.isOk() && left > 0; --left) {
    if (!mayOpenAgain(status))
      return status;
    if (options.note)
      options.note(status.message() + "; opens the cluster again");
    status = attempt(body);
  }
  return status;
}

Status RecoverableRun::attempt(const Body &body) {
  steps.reset();
  opened.reset();
  GRAPHC_ASSIGN_OR_RETURN(opened, open());
  steps.emplace(*opened, options);
  return body(*opened, *steps);
}

/// Also decides whether the next attempt makes first values anew.
bool RecoverableRun::mayOpenAgain(const Status &failure) {
  if (options.isStopRequested && options.isStopRequested())
    return false;
  if (opened && (!opened->hasTasks() || steps->hasBegun()))
    return false;
  // A task that was started again has lost the plan, once; what is never found
  // is no loss.
  bool isPlanGone = opened && failure.code() == StatusCode::NotFound &&
                    !std::exchange(wasPlanGone, true);
  // The chief replaces all values: who is not the chief waits for them again.
  bool areValuesReplaced = opened && !options.isChief &&
                           failure.code() == StatusCode::FailedPrecondition;
  if (!isTaskLoss(failure, isPlanGone || areValuesReplaced) &&
      (!options.replaceStopped || options.replaceStopped() == 0))
    return false;
  // Nobody but this client has given the values that are incomplete now.
  options.isAnew |= opened && opened->madeFirstValues() &&
                    !(options.store && options.store->exists());
  return true;
}

} // namespace graphc::runtime
