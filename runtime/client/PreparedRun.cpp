// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/PreparedRun.h"

#include <algorithm>

namespace graphc::runtime {

bool PreparedRun::hasTask(TaskId task) const {
  return std::ranges::find(participants, task, &Participant::task) !=
         participants.end();
}

bool PreparedRun::hasFeeds(std::span<const NamedTensor *const> values) const {
  return std::ranges::equal(
      values, feeds,
      [](const NamedTensor *feed, const std::vector<std::byte> &value) {
        return feed->tensor.bytes == value;
      });
}

void PreparedRun::release(ClientMachine::State &state) {
  if (isAttached)
    return;
  for (const Participant &participant : participants) {
    protocol::Request request;
    *request.mutable_release()->mutable_run() = id;
    state.tell(participant.task, std::move(request));
  }
}

} // namespace graphc::runtime
