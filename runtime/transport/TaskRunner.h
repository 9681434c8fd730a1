// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that a task lives on.
#ifndef GRAPHC_RUNTIME_TRANSPORT_TASKRUNNER_H
#define GRAPHC_RUNTIME_TRANSPORT_TASKRUNNER_H

#include "runtime/cluster/TaskNode.h"

#include <functional>
#include <memory>
#include <vector>

namespace graphc::runtime {

/// A wire that the runner's thread looks at itself. Thread-safety: the runner's
/// thread, but for wakeWord().
class PolledWire : public Wire {
public:
  /// Gives what has come to `onPacket`, at most a few hundred KiB per call;
  /// false: there was nothing. The bytes are valid during the call.
  virtual bool
  poll(const std::function<void(std::span<const std::byte>)> &onPacket) = 0;
  /// The peer's process is gone.
  virtual bool isBroken() const = 0;
  /// Asks the peer to ring the runner's doorbell from now on (true), or not:
  /// the runner is about to sleep, or awake.
  virtual void setSleeping(bool isSleeping) = 0;
};

/// What a runner needs from whoever connects it with the world. All calls come
/// from the runner's thread and return at once.
struct RunnerHooks {
  std::function<void(TaskId peer)> dial;
  std::function<void(TaskId peer, const Status &why)> hangUp;
  std::function<bool(ClientId)> canReply;
  std::function<void(ClientId, protocol::Reply)> reply;
  std::function<void(Severity, std::string_view)> log;
  std::function<void()> stop;
};

/// Runs a TaskNode on a thread of its own: takes events from other threads,
/// polls wires, advances the machine, and waits by the ladder: a short spin,
/// then giving the core away, then sleep on a futex that every event and every
/// peer on this host rings. A second, slow thread keeps links alive
/// (heartbeats) while a kernel runs long. Thread-safety: post() and the
/// functions that say so: any thread.
class TaskRunner final : public NodeDriver {
public:
  TaskRunner(TaskOptions options, LinkOptions links, RunnerHooks hooks);
  ~TaskRunner() override;

  void start();
  /// Ends all runs, says goodbye to peers, joins the threads.
  void shutDown(const std::string &reason);

  /// Runs `event` on the runner's thread, in the order of the calls. Any
  /// thread.
  void post(std::function<void(TaskNode &)> event);

  /// Runner's thread (from an event): a wire to poll, which becomes the link's.
  void addWire(TaskId peer, std::unique_ptr<PolledWire> wire);

  /// The word that peers on this host ring (see ShmWire), in shared memory.
  int doorbellFd() const;

  /// Any thread.
  protocol::Reply::WaitList waits() const;
  protocol::Reply::Description describe(const std::string &plan) const;
  std::vector<TaskId> missingPeers() const;

  // NodeDriver
  int64_t nowNanos() const override;
  void dial(TaskId peer) override;
  void hangUp(TaskId peer, const Status &why) override;
  bool canReply(ClientId client) const override;
  void reply(ClientId client, protocol::Reply reply) override;
  void log(Severity severity, std::string_view text) override;
  void stop() override;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
