// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The connections between simulated tasks, and what faults do to them.
#ifndef GRAPHC_RUNTIME_SIM_SIMNETWORK_H
#define GRAPHC_RUNTIME_SIM_SIMNETWORK_H

#include "runtime/sim/SimEvents.h"
#include "runtime/sim/Simulation.h"

#include <map>
#include <memory>
#include <vector>

namespace graphc::runtime {

/// The processes of a simulation, as its network sees them.
class SimHost {
public:
  virtual ~SimHost() = default;
  /// Incarnation of a task's process; 0: it is not there.
  virtual uint64_t incarnation(TaskId task) const = 0;
  /// Runs `event` when the process runs, if it still has this incarnation then.
  virtual void deliver(TaskId task, uint64_t incarnation,
                       std::function<void(TaskNode &)> event) = 0;
};

class SimConnection;

/// Memory of a task that a peer sees, by its offset. It stays for as long as
/// the simulation, whatever becomes of the task.
using SimMemory = std::map<uint64_t, std::shared_ptr<std::vector<std::byte>>>;

/// Link between two tasks.
struct SimPair {
  TaskId endpoints[2]; ///< the lower first
  LinkQuality quality;
  uint64_t generation = 0;                       ///< of connections
  int64_t heldUntil = 0, cutUntil = 0;           ///< partition, cut
  std::unique_ptr<SimConnection> connections[2]; ///< by endpoint
  int64_t lastArrival[2] = {0, 0};               ///< at the endpoint
  int64_t busyUntil[2] = {0, 0}; ///< by endpoint: a limited rate
  SimMemory memory[2];           ///< of the endpoint
};

/// Thread-safety: one call at a time.
class SimNetwork {
public:
  SimNetwork(SimEvents &events, SimHost &host,
             const SimulationOptions &options);
  ~SimNetwork();

  void dial(TaskId from, TaskId to);
  void hangUp(TaskId from, TaskId to);
  /// The task's process is gone: its connections end.
  void kill(TaskId task);
  void cut(TaskId a, TaskId b, int64_t forNanos);
  void partition(TaskId a, TaskId b, int64_t forNanos);

private:
  friend class SimConnection;

  SimPair &pair(TaskId a, TaskId b);
  int64_t delay(const LinkQuality &quality, size_t bytes);
  int64_t queueFor(SimPair &pair, int from, size_t bytes);
  void connect(SimPair &pair, int dialer);
  void connectEndpoint(SimPair &pair, int endpoint, int dialer);
  void close(SimPair &pair, int endpoint, const Status &why, bool isAtOnce);
  void carry(SimConnection &connection, std::vector<std::byte> packet);
  void arrive(SimPair &pair, int from, uint64_t generation,
              const std::vector<std::byte> &packet);
  void tell(TaskId task, std::function<void(TaskNode &)> event);

  SimEvents &events;
  SimHost &host;
  const SimulationOptions &options;
  std::vector<std::unique_ptr<SimPair>> pairs; ///< by a * tasks + b
};

} // namespace graphc::runtime

#endif
