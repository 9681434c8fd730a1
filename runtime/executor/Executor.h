// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes one program of a model, step by step.
#ifndef GRAPHC_RUNTIME_EXECUTOR_EXECUTOR_H
#define GRAPHC_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/executor/EdgePlan.h"
#include "runtime/executor/Numerics.h"
#include "runtime/executor/PrintedLine.h"
#include "runtime/executor/SlotTable.h"
#include "runtime/executor/StepLimit.h"
#include "runtime/executor/StepObserver.h"
#include "runtime/executor/StepTimeline.h"
#include "runtime/format/Model.h"
#include "runtime/target/DeviceProgram.h"
#include "runtime/target/cpu/CpuDevice.h"

#include <optional>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Batches of a dataset that a host call is for: shard `shard` of `shards`
/// equal ones.
struct BatchCall {
  uint32_t dataset = 0;
  uint32_t shard = 0;
  uint32_t shards = 1;
};

/// Services that the owner of an executor provides to instructions of kind
/// HostCall.
class HostCalls {
public:
  virtual ~HostCalls() = default;

  /// Writes the next batch of a dataset or a part of it, one address per field;
  /// OUT_OF_RANGE at the end of the data. The programs of one step may call at
  /// the same time, for different parts of a batch.
  virtual Status nextBatch(const BatchCall &call,
                           std::span<std::byte *const> fields) = 0;

  /// Before a step of several programs: its failure, which may be OUT_OF_RANGE,
  /// keeps them all from starting.
  virtual Status beginStep(const format::Graph &graph) { return Status::ok(); }

  /// Waits; CANCELLED when isCancelled() says so meanwhile.
  virtual Status sleep(uint64_t millis);

  /// Shows a line, without its end, to people: on standard error. Programs of
  /// one step may call at the same time.
  virtual void print(std::string_view line);

  /// True when the step is to end early; asked from any thread.
  virtual bool isCancelled() const { return false; }
};

/// Inputs of an executor; all of them must outlive it.
struct ExecutorSpec {
  const Model *model = nullptr;
  const format::Graph *graph = nullptr;
  uint32_t program = 0;
  const KernelImage *kernels = nullptr; ///< of this model
  CpuDevice *device = nullptr;
  const ModelDevices *devices =
      nullptr;                        ///< null: the host executes all programs
  Collectives *collectives = nullptr; ///< null: a library makes no sums
  std::span<std::byte *const> variables; ///< the model's, by index; null: of
                                         ///< another task, or on a device
  HostCalls *host = nullptr;
  uint64_t seed = 0;
  NumericsOptions numerics;
  bool isProfiled = false;          ///< measure what each instruction takes
  StepTimeline *timeline = nullptr; ///< of a profile's steps; null: none
  StepLimit *stepLimit = nullptr;   ///< null: nothing ends a step early
  StepObserver *observer = nullptr; ///< null: nobody looks at values
};

/// The thread that walks a program for a while, beside others that walk other
/// programs of the same step.
class ExecutorContext {
public:
  virtual ~ExecutorContext() = default;
  virtual void launch(KernelFunction function, void *const *buffers,
                      int64_t tiles) = 0;
  virtual void launchInline(KernelFunction function, void *const *buffers,
                            int64_t tiles) = 0;
  /// Arrives at a semaphore; true when the program may pass. Otherwise it may
  /// be resumed in any executor context from the moment of the call on.
  virtual bool arrive(uint32_t semaphore) = 0;
  virtual void signal(uint32_t semaphore) = 0;
  /// True when arrive() would return true; nothing changes.
  virtual bool isOpen(uint32_t semaphore) const = 0;
  /// True when the step is to end early.
  virtual bool isStopped() = 0;

  /// Takes the values that leave the task at a departure of the EdgePlan.
  /// False: not now, the program is to be resumed later.
  virtual bool depart(uint32_t departure) { return true; }

  /// True when no other program is ready, so that the thread may wait for a
  /// device; otherwise the program is to be resumed after others.
  virtual bool mayWait() const { return true; }

  /// True when the context times pauses; otherwise the thread sleeps.
  virtual bool hasClock() const { return false; }

  /// True when the program may go on after a pause, which begins with the first
  /// call; otherwise it is to be resumed later.
  virtual bool isPauseOver(uint64_t millis) { return true; }
};

/// A program as a flat table of what to do; a step is one walk over it that
/// allocates nothing, looks nothing up and ends with the first failure.
/// Thread-safety: one call at a time.
class Executor {
public:
  /// The only program of a graph.
  static StatusOr<std::unique_ptr<Executor>> create(const ExecutorSpec &spec);

  /// One of several programs, with its slots and the plan of the edges.
  static StatusOr<std::unique_ptr<Executor>>
  create(const ExecutorSpec &spec, SlotTable slots, const EdgePlan &plan);

  /// The bytes of a slot: feeds are written there before a step, fetches are
  /// read there after it.
  std::span<std::byte> slot(uint32_t index) const { return slots.bytes(index); }

  /// Between steps: the slots are at other addresses from now on.
  struct Place {
    uint32_t slot;
    std::byte *address;
  };
  void place(std::span<const Place> places);

  /// True when the value fed to a slot is still there after a step.
  bool keepsInput(uint32_t index) const { return slots.keepsInput(index); }

  /// The seconds that each instruction took in all steps but the first; empty
  /// unless the executor is profiled.
  std::span<const double> profile() const { return seconds; }

  /// Runs one step of a graph's only program. `step` counts from 0; messages
  /// count from 1, as users do. CANCELLED where the limit has ended it.
  Status step(uint64_t step);

  /// Between steps: what is recorded from now on goes there; null: nothing is.
  void record(StepTimeline *timeline) { spec.timeline = timeline; }

  /// Prepares a walk among others.
  void beginStep(uint64_t step);

  enum class Walk {
    Done,
    Waiting, ///< at a semaphore; resume() when it opens
    Refused, ///< by ExecutorContext::depart() or isPauseOver(); resume() to ask
             ///< again
    Deferred, ///< see ExecutorContext::mayWait(); resume() after other programs
    AtLimit,  ///< before the instruction of stopBefore()
    Failed,   ///< see failure(), or a fetch is not finite
    Stopped   ///< the context wanted it
  };
  /// Goes on with the step.
  Walk resume(ExecutorContext &context);

  /// When the walk has ended, of whatever kind: waits for the work of a device
  /// and looks at the fetches.
  Status finishStep();

  /// The first instruction of the update part, which is at the latest the first
  /// one that writes a variable; the number of all where nothing is updated.
  uint32_t firstUpdate() const { return updates; }

  /// From now on, resume() does not get to this instruction and beyond.
  void stopBefore(uint32_t instruction) { limit = instruction; }

  /// Looks at all that the walks of this program write, though the programs of
  /// other tasks are not seen.
  void lookAtAll() { looksAtAll = true; }

  /// True when a fetch of this step is NaN or infinite and was not reported.
  bool hasFindings() const;

  /// Failure of the walk; success where a fetch is NaN or infinite.
  const Status &failure() const { return walkFailure; }

  /// The number of the step, and the instructions that are done in it.
  uint64_t stepNumber() const { return current; }
  uint32_t done() const { return cursor; }

  /// The instruction that the program waits at, for people: values of a device
  /// that are to be passed on come before what it goes on to.
  uint32_t standsAt() const {
    return firstSent < sent.size() ? sent[firstSent] : cursor;
  }

  /// The instruction whose pause the step limit has cut short; nothing: none.
  std::optional<uint32_t> cutAt() const { return cutPause; }

  /// True when checking all values has already led to a warning.
  bool hasReported() const { return isReported; }

  const format::Program &program() const;
  /// The full name of the device that the program runs on.
  std::string_view deviceName() const;

private:
  friend class StepTrace;
  friend class SequentialWalk;

  enum class Kind : uint8_t {
    Launch,
    LaunchInline,
    OnDevice, ///< nothing for the host to do
    Copy,
    Fill,
    NextBatch,
    Sleep,
    Fail,
    Check,
    Print,
    Send,
    Depart, ///< a Send of values that leave the task
    Recv,
    AllReduce ///< nothing for the host to do
  };

  struct Entry {
    Kind kind = Kind::Copy;
    uint8_t patternSize = 0;           ///< Fill: 1, 4 or 8
    bool isChecked = false;            ///< writes a fetch that must be finite
    uint32_t semaphore = kNoSemaphore; ///< to pass before
    KernelFunction function = nullptr;
    size_t firstBuffer = 0; ///< Launch, NextBatch, Check, Print: index into
                            ///< `buffers`
    uint32_t bufferCount = 0;
    uint32_t signalCount = 0;
    size_t firstSignal = 0; ///< into `signals`
    size_t firstCopy = 0;   ///< Send: into `copies`
    BatchCall call;         ///< NextBatch
    int64_t tiles = 0;      ///< Launch
    size_t size = 0;        ///< Copy, Fill: in bytes; Send: number of copies;
                            ///< Sleep: milliseconds; Depart: its number;
                            ///< Fail, Check: index into `texts`; Print:
                            ///< into `prints`
    std::byte *target = nullptr;
    const std::byte *source = nullptr; ///< Copy: bytes, Fill: pattern
  };

  /// A fetched float scalar and the instruction after which it is complete.
  struct Check {
    size_t instruction;
    const format::Port *fetch;
    NonFinite found = NonFinite::None; ///< not reported yet
    bool isReported = false;
  };

  explicit Executor(const ExecutorSpec &spec, SlotTable slots);
  Status addEntries(const EdgePlan &plan);
  Entry makeEntry(const format::Instruction &instruction, const EdgePlan &plan);
  void addCall(Entry &entry, const format::HostCall &call);
  void addDepartures(const EdgePlan &plan);
  uint32_t findFirstUpdate() const;
  void addCopies(Entry &entry, const format::Send &send, const EdgePlan &plan);
  void addSemaphores(const EdgePlan &plan);
  void addBuffers(Entry &entry, const flatbuffers::Vector<uint32_t> &indices);
  void resolve(Entry &entry, const format::Instruction &instruction);
  void addChecks();
  Status execute(const Entry &entry, ExecutorContext *context);
  Status executeOnHost(const Entry &entry, ExecutorContext *context);
  void copyEdges(const Entry &send);
  Status submit(const Entry &entry, bool isAwaited);
  uint32_t numberOf(const Entry &entry) const {
    return static_cast<uint32_t>(&entry - entries.data());
  }
  bool isByHost(const Entry &send) const;
  bool submitSend(const Entry &entry);
  /// True when other graphs may write variables before the program goes on.
  bool mayBeInterrupted() const { return limit < entries.size(); }
  bool mustDeliver(const Entry &entry, const ExecutorContext &context) const;
  Walk deliver(ExecutorContext &context);
  Status describeLate(const Status &status);
  Status repeat(uint32_t instruction);
  std::span<const std::byte> contents(uint32_t slot) const;
  Status makeDeviceProgram();
  Status pause(uint64_t millis, ExecutorContext *context);
  bool isAtEnd(ExecutorContext *context) const;
  bool mayPass(ExecutorContext *context) const;
  Status stopped() const;
  bool isRefused(const Entry &entry, ExecutorContext &context);
  Status executeTimed(size_t instruction, int64_t begin,
                      ExecutorContext *context);
  void beginTimes();
  int64_t clock() const;
  void beginWait();
  void endWait(int64_t now);
  bool isFine(size_t instruction);
  void setWarm();
  Status awaitDevice();
  bool findsNonFinite(size_t instruction);
  Status lookAhead(size_t begin) const;
  Status atInstruction(const Status &failure, size_t instruction) const;

  ExecutorSpec spec;
  SlotTable slots;
  std::unique_ptr<DeviceProgram> remote; ///< null: the host executes it
  std::vector<Entry> entries;
  std::vector<std::byte *> buffers; ///< the arrays that kernels are given
  std::vector<EdgeCopy> copies;
  std::vector<uint32_t> signals;  ///< semaphores
  std::vector<std::string> texts; ///< of Fail and Check
  std::vector<PrintSpec> prints;
  std::vector<Check> checks;
  std::vector<double> seconds; ///< profile
  bool isWarm = false;         ///< the first step is done
  bool isLate = false;         ///< a device's fault was found after its op
  bool isReported = false;     ///< checkAll has given its one warning
  bool looksAtAll = false;
  uint32_t updates = 0; ///< the first instruction that writes a variable
  uint32_t limit = 0;   ///< see stopBefore()

  // The walk of a step.
  bool isTraced = false; ///< the timeline wants it
  bool isTimed = false;  ///< it does, or the executor is profiled
  int64_t waitSince = 0; ///< of a traced step; 0: the program does not wait
  uint64_t current = 0;  ///< its number
  uint32_t cursor = 0;
  bool isPastSemaphore =
      false; ///< has arrived at the semaphore of the next instruction
  /// Of a device: Sends that are submitted; from firstSent on, what the host
  /// does for them is not done yet.
  std::vector<uint32_t> sent;
  size_t firstSent = 0;
  std::optional<uint32_t> cutPause;
  Status walkFailure;
};

} // namespace graphc::runtime

#endif
