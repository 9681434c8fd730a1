// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/PeerHistory.h"

#include <utility>

namespace graphc::runtime {

PeerHistory::Arrival PeerHistory::onUp(TaskId peer, uint64_t incarnation) {
  uint64_t before = std::exchange(incarnations[peer], incarnation);
  bool wasLost = lost.erase(peer) > 0;
  if (before != 0 && before != incarnation)
    return Arrival::Restarted;
  return wasLost ? Arrival::Returned : Arrival::Known;
}

} // namespace graphc::runtime
