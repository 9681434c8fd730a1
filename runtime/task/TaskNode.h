// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task with its links: what every driver (threads and gRPC, one process,
// simulation) owns one of per task.
#ifndef GRAPHC_RUNTIME_TASK_TASKNODE_H
#define GRAPHC_RUNTIME_TASK_TASKNODE_H

#include "runtime/link/ReliableLink.h"
#include "runtime/metrics/MetricRegistry.h"
#include "runtime/task/TaskMachine.h"

#include <memory>

namespace graphc::runtime {

/// Connections and process of a node. Calls return at once; dial() leads to
/// TaskNode::onConnectionUp or onDialFailed later, never during the call.
class NodeDriver : public TaskHost {
public:
  /// Connect to a peer. Of two tasks the one with the lower TaskId dials.
  virtual void dial(TaskId peer) = 0;
  /// The connection is not used any more, or its peer broke the protocol.
  virtual void hangUp(TaskId peer, const Status &why) = 0;
  /// A place that one of the peer's connections has given
  /// (Connection::allocate) is not used any more, whether the peer still has a
  /// connection or not.
  virtual void releaseShared(TaskId peer, uint64_t offset) {}
};

/// Dials again, 100 ms apart, while a link is wanted; turns peers that come and
/// go into what TaskMachine is told. The higher task cannot dial: a connect()
/// there waits for the lower one, which dials all higher tasks from the start.
/// Thread-safety: one call at a time.
class TaskNode {
public:
  TaskNode(TaskOptions options, NodeDriver &driver, ClientChannel &clients,
           const LinkOptions &links = {});
  ~TaskNode();

  TaskMachine &machine();

  /// Begins to dial. Call once.
  void start();

  // Events of connections. `connection` lives until hangUp() or
  // onConnectionDown().
  void onConnectionUp(TaskId peer, Connection &connection);
  void onConnectionDown(TaskId peer, const Status &why);
  void onDialFailed(TaskId peer, const Status &why);
  void onPacket(TaskId peer, const ByteRanges &packet);
  void onRoom(TaskId peer);
  /// Transfers of the connection that were pending have ended.
  void onTransfersEnded(TaskId peer);

  // Passed on to the machine.
  void onRequest(ClientId client, const protocol::Request &request);
  void onClientGone(ClientId client);
  void onReplyRoom(ClientId client);

  bool advance();
  void onTimer();
  int64_t nextTimer() const;

  /// Metrics of the task. Thread-safety: any thread.
  const MetricRegistry &metrics() const;
  /// Brings those metrics up to date that nothing counts as it happens; called
  /// some times a second.
  void measure();

  /// The peers that have not answered yet, for a status line.
  std::vector<TaskId> missingPeers() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
