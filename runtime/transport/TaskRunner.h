// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that a task lives on.
#ifndef GRAPHC_RUNTIME_TRANSPORT_TASKRUNNER_H
#define GRAPHC_RUNTIME_TRANSPORT_TASKRUNNER_H

#include "runtime/task/TaskNode.h"
#include "runtime/transport/Doorbell.h"
#include "runtime/transport/PolledConnection.h"

#include <functional>
#include <memory>
#include <vector>

namespace graphc::runtime {

/// Callbacks of a runner; what is empty is not called. All calls but heartbeat
/// come from the thread that runs the node, one at a time, and they return at
/// once.
struct RunnerHooks {
  std::function<void(TaskId peer)> dial;
  /// A connection that the runner does not poll is not used any more.
  std::function<void(TaskId peer, const Status &why)> hangUp;
  ClientChannel *clients = nullptr; ///< null: there are no clients
  std::function<void(Severity, std::string_view)> log;
  std::function<void()> stop;
  /// The peers that have not answered yet; at first from start(), then when
  /// they change.
  std::function<void(const std::vector<TaskId> &missing)> missing;
  /// The runner is inside a long kernel: give peers on connections that it does
  /// not poll a heartbeat, which is an empty packet. The heartbeat thread.
  std::function<void()> heartbeat;
};

/// Runs a TaskNode on a thread of its own: takes events from other threads,
/// polls connections, advances the machine, and waits by the ladder: a short
/// spin, then giving the core away, then sleep on a futex that every event and
/// every peer on this host rings. A second, slow thread keeps links alive
/// (heartbeats) while a kernel runs long; a third one, with the least priority,
/// begins with the first job for it. A thread that has posted an event may
/// run the node in place of the sleeping thread, which saves waking it.
/// Thread-safety: post() and the functions marked so: any thread.
class TaskRunner final : public NodeDriver {
public:
  /// RESOURCE_EXHAUSTED: no shared memory for the doorbell.
  static StatusOr<std::unique_ptr<TaskRunner>>
  create(TaskOptions options, LinkOptions links, RunnerHooks hooks);
  ~TaskRunner() override;

  void start();
  /// Ends all runs, says goodbye to peers, joins the threads.
  void shutDown(const std::string &reason);

  /// Runs `event` on the runner's thread, in the order of the calls. Any
  /// thread.
  void post(std::function<void(TaskNode &)> event);

  /// The same, for a caller who calls help() next. Any thread.
  void postQuietly(std::function<void(TaskNode &)> event);
  /// Runs what is posted on the calling thread, if the runner's thread rests
  /// and what the node did lately was short; else wakes that thread. Most often
  /// it returns soon, but a long kernel may begin at any time. Any thread that
  /// is not in an event.
  void help();
  /// Since when (nowNanos()) a thread is in help() and runs the node; 0: none.
  int64_t helpingSince() const;

  /// Runner's thread (from an event): a connection to poll, which becomes the
  /// link's.
  void addConnection(TaskId peer, std::unique_ptr<PolledConnection> connection);
  /// The same from any thread.
  void postConnection(TaskId peer,
                      std::unique_ptr<PolledConnection> connection);

  /// Doorbell that peers on this host ring (see ShmConnection).
  const std::shared_ptr<Doorbell> &doorbell() const;

  /// Any thread.
  protocol::Reply::WaitList waits() const;
  protocol::Reply::Description describe(const std::string &plan) const;
  protocol::Reply::MetricList metrics() const;
  /// See TaskNode::metrics().
  const MetricRegistry &registry() const;
  std::vector<TaskId> missingPeers() const;

  // NodeDriver
  int64_t nowNanos() const override;
  void dial(TaskId peer) override;
  void hangUp(TaskId peer, const Status &why) override;
  void releaseShared(TaskId peer, uint64_t offset) override;
  void log(Severity severity, std::string_view text) override;
  void stop() override;
  void doAside(std::function<void()> job, std::function<void()> done) override;

private:
  TaskRunner(TaskOptions options, LinkOptions links, RunnerHooks hooks,
             std::shared_ptr<Doorbell> bell);
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
