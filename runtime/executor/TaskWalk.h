// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inside of a TaskEngine: how one thread walks the programs of a task.
#ifndef GRAPHC_RUNTIME_EXECUTOR_TASKWALK_H
#define GRAPHC_RUNTIME_EXECUTOR_TASKWALK_H

#include "runtime/executor/TaskEngine.h"

#include <algorithm>

namespace graphc::runtime {

/// A program is ready, or it stands for one of a few reasons; a value that
/// arrives, a signal of another program or the next advance() makes it ready
/// again. Thread-safety: one call at a time; arrived() may be called by
/// EdgeSender::send().
struct TaskEngine::Impl final : ExecutorContext {
  Impl(TaskEngineSpec spec, EdgePlan plan);
  /// `tables` by program of the graph.
  Status build(std::vector<SlotTable> tables, const std::vector<bool> &isLocal);

  const format::Graph &graph() const { return *spec.executor.graph; }
  const RemoteEdge *findIncoming(uint32_t edge) const;
  /// Null: not a program of this task.
  const Executor *executorOf(uint32_t program) const;

  bool isRemotelyReadable(uint32_t edge) const;
  void readRemotely(std::span<const RemoteRead> edges);
  void begin(uint64_t step);
  void arrived(uint32_t edge, int64_t nanos);
  void record(StepTimeline *timeline);
  void cameBack(uint32_t edge);
  State advance();
  void permitUpdate();
  void skipUpdate();
  /// Leaves the step.
  void end(State last);

  std::optional<int64_t> wakeNanos() const;
  std::vector<uint32_t> awaited() const;
  std::string whereWaiting() const;

  // What executors ask of the thread that walks them.
  void launch(KernelFunction function, void *const *buffers,
              int64_t tiles) override;
  void launchInline(KernelFunction function, void *const *buffers,
                    int64_t tiles) override;
  bool arrive(uint32_t semaphore) override;
  void signal(uint32_t semaphore) override;
  bool isOpen(uint32_t semaphore) const override {
    return semaphores[semaphore].missing == 1;
  }
  bool isStopped() override { return false; }
  bool depart(uint32_t departure) override;
  bool mayWait() const override { return readyCount == deferred; }
  bool hasClock() const override { return bool(spec.clock); }
  bool isPauseOver(uint64_t millis) override;

  enum class Stand : uint8_t {
    Ready,
    Deferred, ///< ready, too: it waits for its device when no other can go on
    AtSemaphore, ///< for values, or for another program
    Refused,     ///< the sender did not take a value
    Paused,      ///< until wakeNanos
    AtUpdate,    ///< for permitUpdate()
    Done
  };
  /// A program of the task.
  struct Member {
    Stand stand = Stand::Done;
    int64_t wakeNanos = 0; ///< of its pause; 0: it is in none
  };
  struct OpenSemaphore {
    uint32_t missing = 0; ///< signals, and the program itself
    uint32_t needed = 0;
    uint32_t member = 0;
  };

  void addEdges();
  void addSemaphores();
  void findRemotelyReadable(const std::vector<bool> &isLocal);
  void makeReady(uint32_t member);
  void walk(uint32_t member);
  void retryRefused();
  void settle();
  void finish();
  void fail(Status status);
  Status report();
  bool isWhole() const {
    return executors.size() == graph().programs()->size();
  }
  bool looksBeyond() const;
  const format::Instruction *nextOf(uint32_t member) const;
  uint32_t memberToReport() const;

  TaskEngineSpec spec;
  EdgePlan plan;
  std::unique_ptr<Collectives> collectives;         ///< null: none
  std::vector<std::unique_ptr<Executor>> executors; ///< by member
  std::vector<Executor *> pointers;                 ///< the same
  std::vector<uint32_t> memberOf; ///< by program; kNoMember: another task's
  std::vector<RemoteEdge> incoming, outgoing;
  std::vector<uint32_t> incomingAt;        ///< by edge: index, or kNoMember
  std::vector<uint32_t> semaphoreOf;       ///< by index in `incoming`
  std::vector<std::byte *> receiveBuffers; ///< by index in `incoming`; null:
                                           ///< the value must be there
  std::vector<ExposedEdge> exposed;
  std::vector<uint32_t> exposedSemaphoreOf; ///< by index in `exposed`
  std::vector<std::vector<const RemoteEdge *>> departures; ///< as the plan's
  std::vector<OpenSemaphore> semaphores;                   ///< as the plan's

  // The step.
  State state = State::Idle;
  uint64_t step = 0;
  Status failure;
  std::vector<Member> members;
  std::vector<uint32_t> ready; ///< a ring: each member is in it once at most
  uint32_t firstReady = 0, readyCount = 0;
  uint32_t deferred = 0;        ///< how many of these are
  uint32_t walked = 0;          ///< the member that is walked
  std::vector<char> hasArrived; ///< by index in `incoming`
  uint32_t missing = 0;         ///< values that have not arrived
  std::vector<char> isAway;     ///< by index in `exposed`
  uint32_t away = 0;            ///< how many of these
  uint32_t refused = 0, paused = 0, standing = 0, unfinished = 0;
  bool isPermitted = false;

  static constexpr uint32_t kNoMember = UINT32_MAX;
};

} // namespace graphc::runtime

#endif
