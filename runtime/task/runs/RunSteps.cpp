// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/RunSteps.h"

#include <string>

namespace graphc::runtime {

Status RunSteps::go(uint64_t first, uint64_t count) {
  if (count == 0 || count > INT64_MAX || first > INT64_MAX)
    return invalidArgument("a run goes for at least one step, and not from " +
                           std::to_string(first) + " for " +
                           std::to_string(count) + " steps");
  if (isBegun && first != last + 1)
    return invalidArgument(
        "the run's next step is " + std::to_string(last + 2) + ", not " +
        std::to_string(first + 1) + "; prepare another run to begin elsewhere");
  if (!isBegun && expected && *expected != first)
    return internalError(
        "a peer has begun with step " + std::to_string(*expected + 1) +
        ", but the client with step " + std::to_string(first + 1));
  following = first;
  beyond = first + count;
  return Status::ok();
}

void RunSteps::begin() {
  last = following;
  isBegun = isInside = true;
}

bool RunSteps::end() {
  isInside = false;
  following = last + 1;
  return following == beyond;
}

StatusOr<RunSteps::Place> RunSteps::locate(uint64_t step) {
  if (!isBegun) {
    if (!expected)
      expected = step;
    if (step == *expected)
      return Place::Next;
  } else {
    if (step == last + 1)
      return Place::Next;
    if (step == last && isInside)
      return Place::Current;
  }
  return internalError("its frame is of step " + std::to_string(step + 1) +
                       ", while this task is at step " +
                       std::to_string(current() + 1));
}

Status RunSteps::checkBegun(uint64_t step) const {
  if (isBegun && step > last + 1)
    return internalError("it has begun step " + std::to_string(step + 1) +
                         ", while this task is at step " +
                         std::to_string(current() + 1));
  return Status::ok();
}

} // namespace graphc::runtime
