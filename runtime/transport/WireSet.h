// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wires that a runner polls.
#ifndef GRAPHC_RUNTIME_TRANSPORT_WIRESET_H
#define GRAPHC_RUNTIME_TRANSPORT_WIRESET_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/transport/TaskRunner.h"

#include <map>
#include <vector>

namespace graphc::runtime {

/// At most one wire per peer. A wire that is removed while it is polled lives
/// until the poll ends. Thread-safety: the runner's thread, but for pulse().
class WireSet {
public:
  explicit WireSet(TaskNode &node) : node(node) {}

  /// Replaces the peer's wire, and gives it to the node.
  void add(TaskId peer, std::unique_ptr<PolledWire> wire)
      GRAPHC_EXCLUDES(mutex);
  /// The node does not use the wire any more; false: there is none.
  bool remove(TaskId peer);
  /// Gives a receive buffer back, whether the peer has a wire or not.
  void release(TaskId peer, uint64_t offset);
  /// Tells peers that this task ends; the wires stay until destruction.
  void close();

  /// Gives the node what has come and what has changed; false: nothing.
  bool poll();
  void setSleeping(bool isSleeping);
  /// Any thread.
  void pulse() GRAPHC_EXCLUDES(mutex);

private:
  struct Entry {
    TaskId peer;
    std::unique_ptr<PolledWire> wire;
    bool isRemoved = false;
  };
  bool pollOne(Entry &entry);
  void sweep() GRAPHC_EXCLUDES(mutex);

  TaskNode &node;
  /// Held where `entries` changes and by pulse(): the runner's thread, the only
  /// one that changes it, reads it without, so it is not GUARDED_BY.
  Mutex mutex;
  std::vector<std::unique_ptr<Entry>> entries;
  std::map<TaskId, std::shared_ptr<ReceiveMemory>> memories;
  bool isPolling = false;
  bool hasRemoved = false;
};

} // namespace graphc::runtime

#endif
