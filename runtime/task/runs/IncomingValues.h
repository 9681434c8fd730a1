// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that other tasks send to a run, until its engine has them.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_INCOMINGVALUES_H
#define GRAPHC_RUNTIME_TASK_RUNS_INCOMINGVALUES_H

#include "runtime/link/ByteRanges.h"
#include "runtime/task/runs/RunSpec.h"

#include <vector>

namespace graphc::runtime {

/// A value comes in frames, or a peer puts it into a receive buffer, or it is
/// read in the sender's exposed buffer. Values of the next step are kept until
/// that begins: early arrivals. A failure names how the peer broke the
/// protocol. Thread-safety: one call at a time.
class IncomingValues {
public:
  /// Both outlive this.
  IncomingValues(const TaskRunSpec &spec, PeerNetwork &network)
      : spec(spec), network(network) {}

  /// Takes the edges that reach the engine, which outlives the use.
  void open(PlanEngine &engine);
  /// The engine's values are in this task's memory again, for the next run.
  void close();

  bool leadsHere(uint32_t edge, TaskId from) const;
  /// True when some values of a peer have receive buffers.
  bool hasReceiveBuffers(TaskId from) const;

  /// Before a step: begins remote reads of buffers that were exposed since.
  void beginRemoteReads(uint64_t step);
  /// When the step has begun: puts early arrivals into their places.
  void takeEarlyArrivals();

  /// Frames of an edge that leadsHere(). True: the engine may go on.
  StatusOr<bool> onData(const FrameHeader &frame, const ByteRanges &payload,
                        bool isEarly);
  StatusOr<bool> onInPlace(const FrameHeader &frame, bool isEarly);
  /// FrameKind::Exposed: the sender exposes the buffer of an edge.
  Status onExposed(const FrameHeader &frame);

  size_t earlyBytes() const;

private:
  struct Incoming {
    const RemoteEdge *edge = nullptr;
    TaskId peer = kNoTask;
    bool hasReceiveBuffer = false;
    bool isComplete = false; ///< of the current step
    uint64_t got = 0;        ///< bytes of the current step
    // Of the next step:
    std::vector<std::byte> early;
    uint64_t earlyBytes = 0;
    bool isEarly = false; ///< something is here
    bool isEarlyComplete = false;
    int64_t earlyNanos = 0; ///< when it was; see TaskEngine::recordedNow()
    PeerPlace exposed;      ///< at the sender
    bool isReadThere = false;
  };
  void takeEarlyArrival(Incoming &value);

  const TaskRunSpec &spec;
  PeerNetwork &network;
  TaskEngine *engine = nullptr;
  std::vector<Incoming> values;
  std::vector<uint32_t> valueOf; ///< by edge; UINT32_MAX: none
  bool hasNewlyExposed = false;  ///< buffers that may be read
};

} // namespace graphc::runtime

#endif
