// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes those programs of a graph that belong to one task; edges from and to
// programs of other tasks pass through an EdgeSender.
#ifndef GRAPHC_RUNTIME_EXECUTOR_TASKENGINE_H
#define GRAPHC_RUNTIME_EXECUTOR_TASKENGINE_H

#include "runtime/executor/Executor.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace graphc::runtime {

/// A transfer that leaves or reaches the task.
struct RemoteEdge {
  uint32_t edge;              ///< number in the graph
  uint32_t program;           ///< of this task
  uint32_t peerProgram;       ///< of another
  uint32_t slot;              ///< of `program`
  std::span<std::byte> bytes; ///< what is sent, or where the value lands
};

/// Takes values that leave the task.
class EdgeSender {
public:
  virtual ~EdgeSender() = default;
  /// The values of these edges, all of one Send, are complete. True: they were
  /// taken (copied), so their memory may be used again. False: not now; the
  /// engine parks the program and asks again when it is advanced.
  virtual bool send(std::span<const RemoteEdge *const> edges,
                    uint64_t step) = 0;
};

struct TaskEngineSpec {
  ExecutorSpec executor;          ///< `program` is not used
  std::vector<uint32_t> programs; ///< of this task, ascending, not empty
  EdgeSender *sender = nullptr;   ///< may be null where no edge leaves the task
  /// Memory for the receive buffer of an edge with a value of `bytes`, or null:
  /// the slot's own memory. Called once per edge that reaches the task, in
  /// create().
  std::function<std::byte *(uint32_t edge, size_t bytes)> receiveBuffer;
  /// Exposed buffers in which values that leave the task may be made, for their
  /// receiver to read. Without memory(): in the arena. Called in create().
  Exposure exposure;
  /// With a clock, a program that sleeps (HostFunction::Sleep) waits, see
  /// wakeNanos(); without one, advance() waits.
  std::function<int64_t()> clock;
  /// Programs stop before the first instruction that writes a variable until
  /// permitUpdate() or skipUpdate().
  /// Then they do not share memory of variables either, since other graphs may
  /// write those before they go on.
  bool stopsBeforeUpdate = false;
};

/// An event machine without threads of its own: begin() starts a step,
/// arrived() tells that a value is in its place, advance() walks all programs
/// as far as they get, one after the other, on the calling thread; kernels that
/// are worth it use the device's pool. Edges between programs of the task are
/// as in StepEngine. A step allocates nothing after the first. Thread-safety:
/// one call at a time.
class TaskEngine {
public:
  static StatusOr<std::unique_ptr<TaskEngine>> create(TaskEngineSpec spec);
  ~TaskEngine();

  const format::Graph &graph() const;
  /// The edges that reach this task and those that leave it, by number.
  std::span<const RemoteEdge> incoming() const;
  std::span<const RemoteEdge> outgoing() const;
  /// Null: not an edge that reaches this task.
  const RemoteEdge *findIncoming(uint32_t edge) const;

  /// The edges that leave from memory of TaskEngineSpec::exposure.
  std::span<const ExposedEdge> exposed() const;
  /// True when the values of an edge that reaches this task may be read
  /// remotely; see readRemotely().
  bool mayReadRemotely(uint32_t edge) const;

  /// The bytes of a feed or a fetch of one of this task's programs; none for
  /// those of others.
  std::span<std::byte> slot(const format::Port &port) const;
  bool keepsInput(const format::Port &port) const;
  size_t instructions() const; ///< of all programs here

  /// A step begins: from here on until arrived(), an edge's bytes may be
  /// written. `step` counts from 0. Asks HostCalls::beginStep(), whose failure
  /// is the step's.
  void begin(uint64_t step);
  /// Between steps: what programs do from now on, and values that arrive, are
  /// recorded there; null: nothing is.
  void record(StepTimeline *timeline);
  /// Time of the timeline's clock; 0: nothing is recorded.
  int64_t recordedNow() const;
  /// Between steps: the values of edges that mayReadRemotely() are read at
  /// other addresses from now on.
  struct RemoteRead {
    uint32_t edge;
    std::byte *address; ///< null: at the receive buffer again
  };
  void readRemotely(std::span<const RemoteRead> edges);
  /// The receiver of an exposed edge has read its value of the step before, or
  /// has it from elsewhere. Programs stop before they make the next one until
  /// they know. Nothing for edges that are not exposed or have come back in
  /// this step.
  void cameBack(uint32_t edge);

  /// The value of an edge of this step is complete. May be called before the
  /// program gets to its Recv. Nothing for edges that are not awaited.
  /// `nanos`: when it came, of recordedNow(); 0: now.
  void arrived(uint32_t edge, int64_t nanos = 0);

  enum class State {
    Idle,     ///< no step has begun
    Waiting,  ///< for values, see awaited(), for exposed buffers, or for the
              ///< sender to take some
    AtUpdate, ///< all values of the step are here, and all programs are done,
              ///< stand before their updates or wait for one that does
    Done,     ///< also where the step has no updates in this task
    Failed    ///< see failure()
  };
  State advance();
  State state() const;

  /// Of the step that has begun.
  void permitUpdate();
  /// Ends the step without its updates, and without what programs do after
  /// them. Nothing unless the state is AtUpdate.
  void skipUpdate();

  /// Leaves the step; begin() may follow.
  void abandon();

  const Status &failure() const;
  uint64_t step() const;
  /// Time at which advance() goes on with a program that sleeps, on the clock
  /// of the spec; nothing: none sleeps.
  std::optional<int64_t> wakeNanos() const;

  /// The edges whose values programs wait for, and the instruction at which one
  /// stands, for people.
  std::vector<uint32_t> awaited() const;
  /// "program '/job:…' at op 'x' (line 3)", of the program that waits.
  std::string whereWaiting() const;

private:
  struct Impl;
  TaskEngine();
  std::unique_ptr<Impl> impl;
};

} // namespace graphc::runtime

#endif
