// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Connects a client with the tasks of a cluster.
#ifndef GRAPHC_RUNTIME_CLIENT_TASKCONNECTOR_H
#define GRAPHC_RUNTIME_CLIENT_TASKCONNECTOR_H

#include "runtime/client/ClientMachine.h"

namespace graphc::runtime {

/// Transport from a ClusterSession to its tasks: gRPC, or a cluster in this
/// process. Thread-safety: one call at a time, but for interrupt().
class TaskConnector {
public:
  virtual ~TaskConnector() = default;
  virtual void send(TaskId task, protocol::Request request) = 0;
  /// Waits for the next event, but not past `untilNanos` (steady clock), and
  /// tells the machine. Returns after one round of events at the latest.
  virtual void pump(ClientMachine &machine, int64_t untilNanos) = 0;
  /// Makes a pump() that waits return. Any thread.
  virtual void interrupt() {}
};

} // namespace graphc::runtime

#endif
