// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends a run's values to other tasks: in frames, into their receive buffers,
// or by exposing the buffer where a value is made.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_OUTGOINGVALUES_H
#define GRAPHC_RUNTIME_TASK_RUNS_OUTGOINGVALUES_H

#include "runtime/task/runs/RunPeers.h"
#include "runtime/task/runs/RunSpec.h"

#include <optional>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Steps count from 0. A failure names how the peer broke the protocol.
/// Thread-safety: one call at a time.
class OutgoingValues {
public:
  /// All outlive this.
  OutgoingValues(const TaskRunSpec &spec, const RunPeers &peers,
                 PeerNetwork &network)
      : spec(spec), peers(peers), network(network) {}

  /// Takes the edges that leave the engine, which outlives the use.
  void open(PlanEngine &engine);
  void close();

  /// Sends values that are complete. False: not now, since a receiver has not
  /// begun the step that its receive buffer is then free for, or since a put is
  /// pending: the engine asks again.
  bool send(std::span<const RemoteEdge *const> edges, uint64_t step);

  /// True when puts to the peer are pending.
  bool hasPending(TaskId peer) const;

  /// FrameKind::ReceiveBuffer: the receive buffer of an edge.
  Status onReceiveBuffer(TaskId from, const FrameHeader &frame);
  /// FrameKind::RemoteRead: from a step on, an exposed buffer is read.
  Status onRemoteRead(TaskId from, const FrameHeader &frame);

  /// Lets the engine write again to the exposed buffers whose value of the step
  /// before `step` has been read. True: there are some.
  bool releaseExposed(uint64_t step);
  /// The peer that has not read such a value yet; kNoTask: none.
  TaskId awaitedReader(uint64_t step) const;

private:
  /// A buffer of this task's that the receiver can read.
  struct Exposed {
    uint32_t edge = 0;
    TaskId peer = kNoTask;
    uint64_t since = UINT64_MAX; ///< the first step whose value is read there
  };
  enum class Way {
    NotNow,
    Frames,
    Put,    ///< into the receiver's buffer
    Exposed ///< read in this task's memory
  };
  Way wayOf(const RemoteEdge &edge, uint64_t step) const;
  bool put(const RemoteEdge &edge);
  void sendValue(const RemoteEdge &edge, uint64_t step, Way way);
  void sendFrames(FrameHeader frame, const RemoteEdge &edge);
  bool isReleased(const Exposed &buffer, uint64_t step) const;

  const TaskRunSpec &spec;
  const RunPeers &peers;
  PeerNetwork &network;
  TaskEngine *engine = nullptr;
  std::vector<uint64_t> receiveBufferOf; ///< by edge: its offset at the peer
  /// By edge: of the value that is being sent; nothing: not begun.
  std::vector<std::optional<Transfer>> puts;
  std::vector<TaskId> receiverOf; ///< by edge that leaves
  std::vector<Exposed> exposed;
  std::vector<uint32_t> exposedOf; ///< by edge; UINT32_MAX: none
};

} // namespace graphc::runtime

#endif
