// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Services that a task needs of its process: time, a log, a spare thread, and
// conversations with clients. Its peers are in PeerNetwork.h.
#ifndef GRAPHC_RUNTIME_TASK_TASKHOST_H
#define GRAPHC_RUNTIME_TASK_TASKHOST_H

#include "runtime/protocol/cluster.pb.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

namespace graphc::runtime {

/// A client's conversation with this task; never used again.
using ClientId = uint64_t;

enum class Severity { Info, Warning, Error };

inline int64_t systemMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Clock, log, a spare thread and end of the process. Calls return at once.
/// Thread-safety: as the machine that calls.
class TaskHost {
public:
  virtual ~TaskHost() = default;

  virtual int64_t nowNanos() const = 0;
  /// Since 1970, by the machine's clock.
  virtual int64_t clockMillis() const { return systemMillis(); }

  virtual void log(Severity severity, std::string_view text) = 0;

  /// Does `job` on a thread that takes only what others leave of the cores, one
  /// job after the other, and then `done` as an event of the task, unless that
  /// ends before. Here, for hosts without threads: both before it returns.
  virtual void doAside(std::function<void()> job, std::function<void()> done) {
    job();
    done();
  }

  /// Cost of a step of so many instructions in time that passes only here, for
  /// simulations; 0 where time passes by itself.
  virtual int64_t stepNanos(size_t instructions) { return 0; }

  /// The process was asked to end.
  virtual void stop() = 0;
};

/// Replies on their way to clients. Whoever holds the conversations implements
/// it, and the machine calls it without anyone between. Calls return at once.
class ClientChannel {
public:
  virtual ~ClientChannel() = default;

  /// True when the client's queue has room for further results.
  virtual bool canReply(ClientId client) const = 0;
  virtual void reply(ClientId client, protocol::Reply reply) = 0;
};

} // namespace graphc::runtime

#endif
