// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client's conversations with tasks that run in the same process.
#ifndef GRAPHC_RUNTIME_TRANSPORT_LOCALCLIENT_H
#define GRAPHC_RUNTIME_TRANSPORT_LOCALCLIENT_H

#include "runtime/client/TaskConnector.h"
#include "runtime/transport/EventQueue.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace graphc::runtime {

/// Inbox of a client: the tasks' threads put events in, the client's thread
/// takes them out. Thread-safety: any thread, but pump() from one.
class LocalInbox {
public:
  static StatusOr<std::shared_ptr<LocalInbox>> create();

  struct Event {
    TaskId task;
    std::optional<protocol::Reply> reply;
    Status gone; ///< where there is no reply; success: an interrupt
  };
  void push(Event event);
  /// True when a task may send further results.
  bool hasRoom() const;

  /// Waits for events, but not past `untilNanos`, and tells the machine. True:
  /// there is room again after there was none.
  bool pump(ClientMachine &machine, int64_t untilNanos);

private:
  explicit LocalInbox(std::shared_ptr<Doorbell> bell)
      : bell(bell), queue(bell) {}
  void wait(int64_t untilNanos);

  std::shared_ptr<Doorbell> bell;
  EventQueue<Event> queue;
  std::atomic<size_t> queuedBytes{0};
  mutable std::atomic<bool> wasFull{false};
  std::vector<Event> taken;
};

} // namespace graphc::runtime

#endif
