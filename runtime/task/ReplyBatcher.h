// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fetches of steps on their way to a client, several steps in a message.
#ifndef GRAPHC_RUNTIME_TASK_REPLYBATCHER_H
#define GRAPHC_RUNTIME_TASK_REPLYBATCHER_H

#include "runtime/task/TaskHost.h"

#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// One client's results of one run. They leave when there are 64 KiB, when the
/// oldest is 2 ms old, or at the end. Without fetches nothing is sent.
/// Thread-safety: one call at a time.
class ReplyBatcher {
public:
  /// `now`: when the first step begins.
  ReplyBatcher(ClientId client, uint64_t request, bool lastOnly,
               std::vector<std::span<const std::byte>> fetches, int64_t now)
      : client(client), request(request), lastOnly(lastOnly),
        fetches(std::move(fetches)), begun(now) {}

  /// A step is done, and the fetches have its values.
  void add(uint64_t step, bool isLast, int64_t now, ClientChannel &clients,
           const protocol::RunId &run);
  void flush(int64_t now, ClientChannel &clients, const protocol::RunId &run);
  /// Moves what waits to `reply`, for the caller to send; false: nothing waits.
  bool take(int64_t now, const protocol::RunId &run, protocol::Reply &reply);
  /// Time at which flush() is due; INT64_MAX: never.
  int64_t due() const;

  /// True when the client's queue was full after the last message.
  bool isBlocked(ClientChannel &clients);

  ClientId client;
  uint64_t request;

private:
  bool lastOnly;
  std::vector<std::span<const std::byte>> fetches;
  std::string values;
  uint64_t first = 0;
  uint32_t steps = 0;
  int64_t since = 0; ///< of the first step that waits
  int64_t begun;     ///< when the first step that waits began
  bool mayBeBlocked = false;
};

} // namespace graphc::runtime

#endif
