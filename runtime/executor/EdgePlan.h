// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans the edges between programs of a graph within a process: transport of
// values, and semaphores.
#ifndef GRAPHC_RUNTIME_EXECUTOR_EDGEPLAN_H
#define GRAPHC_RUNTIME_EXECUTOR_EDGEPLAN_H

#include "runtime/executor/ExposedSlots.h"

#include <span>
#include <vector>

namespace graphc::runtime {

inline constexpr uint32_t kNoSemaphore = UINT32_MAX;

/// Stands before an instruction until the signals that it needs have come.
struct Semaphore {
  InstructionId at;
  std::vector<InstructionId> signals; ///< given when these are done
  uint32_t arrivals = 0;              ///< signals for values of other tasks
  std::vector<uint32_t> exposed;      ///< edges that must be given back first
};

/// A Send of values that leave the task: nothing is copied, whoever walks the
/// program takes them.
struct Departure {
  InstructionId at;
  std::vector<uint32_t> edges, slots;
};

/// Copy made by a Send: nothing for an edge whose receiver reads the sender's
/// bytes.
struct EdgeCopy {
  std::byte *target = nullptr;
  const std::byte *source = nullptr;
  size_t size = 0;
};

/// True when the memory plan gives bytes of the slot to another during its
/// life.
bool sharesMemory(const format::Program &program, uint32_t index);

/// Options of an EdgePlan; tests and measurements change them.
struct EdgeOptions {
  /// Smaller values are copied, in bytes: that is faster than any wait.
  size_t leastShared = 4096;
  /// From here on a sender waits with the reuse of a value's memory until the
  /// receiver has read it, where nothing else makes it so. Below, a copy costs
  /// less than programs that wait for each other.
  size_t leastAwaited = 1 << 20;
  /// Programs of other graphs may write variables during the step.
  bool isInterrupted = false;
  /// Sums that a library makes; null: none.
  Collectives *collectives = nullptr;
};

/// Decided once per graph, edge after edge in their order, so always the same.
///
/// An edge is shared (the receiver's slot becomes an address of the sender's)
/// where nothing writes the bytes between Send and the receiver's last use: the
/// order of programs, sends and receives makes it so, or a further wait of the
/// sender for the receiver does, provided that no cycle of waits results. All
/// other edges are copied by Send to the receiver's slot, which the model's
/// verifier has seen to be free from the start of the step.
class EdgePlan {
public:
  /// Shares slots of `tables`, one per program. DATA_LOSS unless each edge is
  /// sent once and received once.
  static StatusOr<EdgePlan> make(const format::Graph &graph,
                                 std::span<SlotTable> tables,
                                 const EdgeOptions &options = {});

  /// The same for those programs that are in one task; the tables of others
  /// are not looked at. No sender waits for a receiver within a step here,
  /// since what other tasks wait for is not seen. Exposed buffers must have
  /// come back from the step before.
  static StatusOr<EdgePlan>
  makeForTask(const format::Graph &graph, std::span<SlotTable> tables,
              const std::vector<bool> &isLocal, const EdgeOptions &options = {},
              std::span<const ExposedEdge> exposed = {});

  const std::vector<Semaphore> &semaphores() const { return semaphoreList; }

  /// By program and instruction.
  const std::vector<Departure> &departures() const { return departureList; }

  /// Of the Send at `send`, for the i-th of its edges. Size 0: shared.
  EdgeCopy copy(uint32_t edge) const { return copies[edge]; }

  /// The Send of an edge.
  InstructionId sender(uint32_t edge) const { return endpoints[edge].send; }

private:
  struct Endpoints {
    InstructionId send, recv;
    uint32_t sourceSlot = 0, targetSlot = 0;
    uint32_t sends = 0, recvs = 0;
  };
  friend class EdgePlanner;

  std::vector<Semaphore> semaphoreList;
  std::vector<Departure> departureList;
  std::vector<EdgeCopy> copies;     ///< by edge
  std::vector<Endpoints> endpoints; ///< by edge
};

} // namespace graphc::runtime

#endif
