// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a graph at one task, from its preparation to its end.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_TASKRUN_H
#define GRAPHC_RUNTIME_TASK_RUNS_TASKRUN_H

#include "runtime/task/ReplyBatcher.h"
#include "runtime/task/counts/RunMetrics.h"
#include "runtime/task/runs/IncomingValues.h"
#include "runtime/task/runs/OutgoingValues.h"
#include "runtime/task/runs/RunSteps.h"

#include <deque>

namespace graphc::runtime {

/// Its values, peers and steps have classes of their own.
/// Thread-safety: one call at a time.
class TaskRun final : public EdgeSender {
public:
  enum class Phase { Preparing, Ready, Going, Failed };
  enum class Progress {
    None,
    Moved,    ///< there may be more to do
    AtUpdate, ///< with an UpdateSequencer: all values for the update are here
    StepDone,
    GoDone, ///< the last step that was asked for
    Failed  ///< see failure()
  };
  struct Feed {
    const format::Port *port;
    std::vector<std::byte> value;
  };
  using Peer = RunPeer;

  TaskRun(TaskRunSpec spec, const TaskEnvironment &environment);

  const TaskRunSpec &spec() const { return made; }
  const RunKey &key() const { return made.key; }
  protocol::RunId id() const;
  bool isCoordinated() const { return made.isCoordinated(); }
  /// Steps begin and end in the sequence of updates.
  bool followsSequence() const { return isFollower; }
  std::vector<Peer> &peers() { return peerSet.list(); }
  const std::vector<Peer> &peers() const { return peerSet.list(); }

  /// Ready: takes an engine. REQUIRES: all peers are up.
  Status makeReady();
  /// Begins to go. INVALID_ARGUMENT where the step is not the next one.
  Status go(uint64_t firstStep, uint64_t steps);
  /// True when the next step may begin as far as peers and clients are
  /// concerned.
  bool mayBegin(int64_t now);
  void beginStep(int64_t now);
  /// Goes on with the step that has begun, or begins the next one where no
  /// sequence is kept.
  Progress advance(int64_t now);
  /// With an UpdateSequencer, at the update: Progress::StepDone or GoDone,
  /// Moved where it is not over yet.
  Progress finishUpdate(bool isDropped, int64_t now);

  bool send(std::span<const RemoteEdge *const> edges, uint64_t step) override;
  /// A frame of the run; a failure names how the peer broke the protocol.
  Status onFrame(TaskId from, const FrameHeader &header,
                 const ByteRanges &payload, int64_t now);

  /// Values that wait for a transfer may go on.
  void onTransfersEnded(TaskId peer);

  /// Gives the engine back, drops early arrivals. Peers may write to the
  /// engine's shared memory until they know; then it is not given back but
  /// returned.
  PlanEngine *end(Phase phase);

  // What is known about where the run is.
  /// From 0: the one that runs, or the next.
  uint64_t currentStep() const { return steps.current(); }
  bool isInStep() const { return steps.isInStep(); }
  bool isAtUpdate() const { return atUpdate; }
  /// The update was permitted and is not over.
  bool isInUpdate() const { return atUpdate && isUpdating; }
  bool isPaused(); ///< waits for a client
  /// Waiting for a client is no stall, neither here nor at those who wait for
  /// this task: tells them that it is there.
  void excusePause(int64_t now);
  size_t earlyBytes() const { return incoming.earlyBytes(); }
  size_t sharedPlaces() const { return engine ? engine->shared.size() : 0; }
  TaskEngine &taskEngine() { return *engine->engine; }
  std::optional<uint32_t> awaitedEdge() const;
  TaskId sourceOf(uint32_t edge) const;
  /// A peer that has to begin a step first. Within a step: it still reads an
  /// exposed buffer. Between steps: it is more than a step behind. kNoTask:
  /// none.
  TaskId awaitedPeer() const;
  const Status &failure() const { return engineFailure; }
  /// Time at which something is due: a program that sleeps, results, the time
  /// of a step; INT64_MAX: nothing.
  int64_t nextTimer() const;
  void onTimer(int64_t now);

  Phase phase = Phase::Preparing;
  ClientId owner = 0;
  uint64_t prepareRequest = 0;
  int64_t prepareDeadline = 0;
  std::string lastStatus; ///< that the client was told
  std::vector<const format::Port *> fetches;
  std::vector<Feed> feeds;
  bool areFeedsNew = true;
  /// Of the Go that runs: the first is the owner's.
  std::deque<ReplyBatcher> sinks;
  std::shared_ptr<StepTimeline> timeline; ///< null: nothing is recorded
  uint64_t goRequest = 0;
  uint64_t stepsAsked = 0, stepsDone = 0;
  int64_t lastProgress = 0;
  protocol::Failure cause; ///< Phase::Failed
  /// At the coordinator: the tasks that are ready for this step's update.
  std::vector<TaskId> arrivals;
  /// False: not of this step, or twice.
  bool arrive(TaskId task, uint64_t step);
  /// Has failed, but whether its update is made is for the coordinator to
  /// decide: the run stays at the update until it has, be its link lost
  /// meanwhile.
  bool isEnding = false;
  bool isAbandoned = false; ///< its client has gone
  /// At the coordinator: UpdateQueue::doneRuns() when it was prepared.
  uint64_t doneBefore = 0;
  std::string lastWait; ///< that clients were told while it went
  void dropSinks(ClientId client);

private:
  void sendBuffers();
  void sendBuffer(FrameKind kind, const EdgePlace &place);
  void sendBegun(const Peer &peer);
  Status onValue(Peer &peer, const FrameHeader &frame,
                 const ByteRanges &payload);
  Status onBegun(Peer &peer, uint64_t step, int64_t now);
  void noteBegun(Peer &peer, uint64_t step);
  void releaseExposed();
  void pause(RunMetrics::Wait kind);
  Progress finishStep(int64_t now);
  void recordGo();
  void recordBegin();
  void recordEnd();
  Progress stateAfterWalk(TaskEngine::State state, int64_t now);

  const TaskRunSpec made;
  TaskEnvironment environment;
  const bool isFollower;
  RunPeers peerSet;
  RunSteps steps;
  IncomingValues incoming;
  OutgoingValues outgoing;
  RunMetrics counts;
  PlanEngine *engine = nullptr;
  bool hasSentBuffers = false;
  bool atUpdate = false;
  bool isWalkDone = false; ///< at the update: there is none here
  bool isUpdating = false;
  bool isDirty = false;  ///< the engine may go on
  int64_t restUntil = 0; ///< simulated time of the last step
  // Of the timeline; 0: there is none.
  int64_t stepBegan = 0, stepEnded = 0;
  Status engineFailure;
};

} // namespace graphc::runtime

#endif
