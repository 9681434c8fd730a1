// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a graph at one task: its steps, and the values that come and go.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_TASKRUN_H
#define GRAPHC_RUNTIME_TASK_RUNS_TASKRUN_H

#include "runtime/link/ByteRanges.h"
#include "runtime/task/ReplyBatcher.h"
#include "runtime/task/plans/PlanState.h"
#include "runtime/task/runs/RunKey.h"

#include <deque>

namespace graphc::runtime {

/// What a run is made from, once its request was checked.
struct TaskRunSpec {
  RunKey key;
  PlanState *plan = nullptr;
  PlanGraph *graph = nullptr;
  TaskId self = 0;
  EngineKey engine;
  int64_t stallNanos = 0;
  /// With an UpdateSequencer: who has it, and the tasks that follow it.
  TaskId coordinator = kNoTask;
  std::vector<TaskId> variableTasks;
  /// Of an Apply entry, which no client has asked for.
  bool isInternal = false;
};

/// Thread-safety: one call at a time.
class TaskRun final : public EdgeGate {
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
  /// Of a task that the run exchanges frames with.
  struct Peer {
    TaskId id = kNoTask;
    bool sendsHere = false;
    bool receivesFromHere = false;
    bool wantsBegun = false;    ///< needs to be told that a step has begun here
    uint64_t begun = 0;         ///< 1 + the last step known to have begun there
    bool hasSaidFailed = false; ///< FrameKind::RunFailed came
  };

  TaskRun(TaskRunSpec spec, const TaskWorld &world);

  const TaskRunSpec &spec() const { return made; }
  const RunKey &key() const { return made.key; }
  protocol::RunId id() const;
  bool isCoordinated() const { return made.coordinator != kNoTask; }
  /// Steps begin and end when the sequence of updates says so.
  bool followsSequence() const { return isFollower; }
  std::vector<Peer> &peers() { return peerList; }
  const std::vector<Peer> &peers() const { return peerList; }

  /// Ready: takes an engine. REQUIRES: all peers are up.
  Status makeReady();
  /// Begins to go. INVALID_ARGUMENT where the step is not the next one.
  Status go(uint64_t firstStep, uint64_t steps);
  /// Whether the next step may begin as far as peers and clients are concerned.
  bool mayBegin(int64_t now);
  void beginStep(int64_t now);
  /// Goes on with the step that has begun, or begins the next one where no
  /// sequence is kept.
  Progress advance(int64_t now);
  /// With an UpdateSequencer, at the update: Progress::StepDone or GoDone,
  /// Moved where it is not over yet.
  Progress finishUpdate(bool isDropped, int64_t now);

  bool send(std::span<const RemoteEdge *const> edges, uint64_t step) override;
  /// A frame of the run; a failure says how the peer broke the protocol.
  Status onFrame(TaskId from, const FrameHeader &header,
                 const ByteRanges &payload, int64_t now);

  /// Gives the engine back, drops what waits. The engine's places in shared
  /// memory may be written by peers until they know; then it is not given back
  /// but returned.
  PlanEngine *end(Phase phase);

  // What is known about where the run is.
  uint64_t currentStep() const; ///< from 0: the one that runs, or the next
  bool isInStep() const { return inStep; }
  bool isAtUpdate() const { return atUpdate; }
  /// The update was permitted and is not over.
  bool isInUpdate() const { return atUpdate && isUpdating; }
  bool isPaused(); ///< waits for a client
  /// Waiting for a client is no stall, neither here nor at those who wait for
  /// this task: tells them that it is there.
  void excusePause(int64_t now);
  size_t parkedBytes() const;
  size_t sharedPlaces() const { return engine ? engine->shared.size() : 0; }
  TaskEngine &taskEngine() { return *engine->engine; }
  std::optional<uint32_t> awaitedEdge() const;
  TaskId sourceOf(uint32_t edge) const;
  /// A peer that has to begin a step: this one before what is lent to it may be
  /// written here; the one before the next before that may begin here.
  TaskId awaitedPeer() const;
  const Status &failure() const { return engineFailure; }
  /// When something is due: a program that sleeps, results, the time of a
  /// step; INT64_MAX: nothing.
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
  uint64_t goRequest = 0;
  uint64_t stepsAsked = 0, stepsDone = 0;
  int64_t lastProgress = 0;
  protocol::Failure cause; ///< Phase::Failed
  /// At the coordinator: the tasks that are ready for this step's update.
  std::vector<TaskId> arrivals;
  /// False: not of this step, or twice.
  bool arrive(TaskId task, uint64_t step);
  /// Has failed, but whether its update is made is for the coordinator to say:
  /// the run stays at the update until it has, be its link lost meanwhile.
  bool isEnding = false;
  bool isAbandoned = false; ///< its client has gone
  /// At the coordinator: UpdateQueue::doneRuns() when it was prepared.
  uint64_t doneBefore = 0;
  std::string lastWait; ///< that clients were told while it went
  void dropSinks(ClientId client);

private:
  /// An edge that reaches this task.
  struct Inbox {
    const RemoteEdge *edge = nullptr;
    TaskId peer = kNoTask;
    bool hasLanding = false;
    bool isComplete = false;       ///< of the current step
    uint64_t got = 0;              ///< bytes of the current step
    std::vector<std::byte> parked; ///< of the next step
    uint64_t parkedBytes = 0;
    bool isParked = false; ///< something of the next step is here
    bool isParkedComplete = false;
    PeerPlace lent; ///< where its values are at the sender
    bool isBorrowed = false;
  };
  /// An edge that leaves this task from memory that the receiver can read.
  struct Loan {
    uint32_t edge = 0;
    TaskId peer = kNoTask;
    uint64_t since = UINT64_MAX; ///< the first step whose value is read there
  };

  void addPeer(TaskId id, bool sendsHere, bool receivesFromHere);
  void findPeers();
  Peer *findPeer(TaskId id);
  const Peer *findPeer(TaskId id) const;
  FrameHeader header(FrameKind kind, uint64_t step) const;
  enum class Way {
    NotNow,
    Frames,
    Landing, ///< to the receiver's memory
    Lent     ///< read in this task's memory
  };
  Way wayOf(const RemoteEdge &edge, uint64_t step);
  void sendValue(const RemoteEdge &edge, uint64_t step, Way way);
  void sendFrames(FrameHeader frame, const RemoteEdge &edge);
  void sendPlaces();
  void sendPlace(FrameKind kind, const EdgePlace &place);
  void borrow();
  void giveBack();
  bool isBack(const Loan &loan) const;
  void takeBack();
  void unpark(Inbox &inbox);
  Status place(uint64_t step, bool &isNext);
  Status onData(Inbox &inbox, const FrameHeader &header,
                const ByteRanges &payload);
  Status onInPlace(Inbox &inbox, const FrameHeader &header);
  Status onLanding(TaskId from, const FrameHeader &header);
  Status onLent(Inbox &inbox, const FrameHeader &header);
  Status onBorrowed(TaskId from, const FrameHeader &header);
  Status onBegun(Peer &peer, uint64_t step, int64_t now);
  void noteBegun(Peer &peer, uint64_t step);
  Progress finishStep(int64_t now);
  Progress stateAfterWalk(TaskEngine::State state, int64_t now);

  TaskRunSpec made;
  TaskWorld world;
  bool isFollower = false;
  std::vector<Peer> peerList;
  PlanEngine *engine = nullptr;
  std::vector<Inbox> inboxes;
  std::vector<uint32_t> inboxOf;   ///< by edge; UINT32_MAX: none
  std::vector<uint64_t> landingOf; ///< by edge: the peer's place
  std::vector<TaskId> receiverOf;  ///< by edge that leaves
  std::vector<Loan> loans;
  std::vector<uint32_t> loanOf; ///< by edge; UINT32_MAX: none
  bool hasNewLoans = false;     ///< of peers, that may be borrowed
  bool hasSentPlaces = false;
  bool hasBegun = false;                    ///< a step has begun in this run
  uint64_t current = 0;                     ///< the last one that has begun
  std::optional<uint64_t> expected;         ///< the first one, as peers say
  uint64_t first = 0, next = 0, beyond = 0; ///< of the Go that runs
  bool inStep = false;
  bool atUpdate = false;
  bool isWalkDone = false; ///< at the update: there is none here
  bool isUpdating = false;
  bool isDirty = false;  ///< the engine may go on
  int64_t restUntil = 0; ///< simulated time of the last step
  Status engineFailure;
};

} // namespace graphc::runtime

#endif
