// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The connections that a runner polls.
#ifndef GRAPHC_RUNTIME_TRANSPORT_CONNECTIONSET_H
#define GRAPHC_RUNTIME_TRANSPORT_CONNECTIONSET_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/transport/TaskRunner.h"

#include <map>
#include <vector>

namespace graphc::runtime {

/// At most one connection per peer. A connection that is removed while it is
/// polled lives until the poll ends. Thread-safety: the runner's thread, but
/// for heartbeat().
class ConnectionSet {
public:
  explicit ConnectionSet(TaskNode &node) : node(node) {}

  /// Replaces the peer's connection, and gives it to the node.
  void add(TaskId peer, std::unique_ptr<PolledConnection> connection)
      GRAPHC_EXCLUDES(mutex);
  /// The node does not use the connection any more; false: there is none.
  bool remove(TaskId peer);
  /// Gives a receive buffer back, whether the peer has a connection or not.
  void release(TaskId peer, uint64_t offset);
  /// Tells peers that this task ends; the connections stay until destruction.
  void close();

  /// Gives the node what has come and what has changed; false: nothing.
  bool poll();
  void setSleeping(bool isSleeping);
  /// Any thread.
  void heartbeat() GRAPHC_EXCLUDES(mutex);

private:
  struct Entry {
    TaskId peer;
    std::unique_ptr<PolledConnection> connection;
    bool isRemoved = false;
  };
  bool pollOne(Entry &entry);
  void sweep() GRAPHC_EXCLUDES(mutex);

  TaskNode &node;
  /// Held where `entries` changes and by heartbeat(): the runner's thread, the
  /// only one that changes it, reads it without, so it is not GUARDED_BY.
  Mutex mutex;
  std::vector<std::unique_ptr<Entry>> entries;
  std::map<TaskId, std::shared_ptr<ReceiveMemory>> memories;
  bool isPolling = false;
  bool hasRemoved = false;
};

} // namespace graphc::runtime

#endif
