// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cluster and its clients in one thread, in time that passes only here, with
// faults by a script and a seed: the same seed gives the same log.
#ifndef GRAPHC_RUNTIME_SIM_SIMULATION_H
#define GRAPHC_RUNTIME_SIM_SIMULATION_H

#include "runtime/client/ClientMachine.h"
#include "runtime/sim/FaultScript.h"
#include "runtime/task/TaskNode.h"

#include <functional>
#include <memory>
#include <string>

namespace graphc::runtime {

struct SimulationOptions {
  ClusterSpec cluster;
  FaultScript faults;
  uint64_t seed = 1;
  LinkOptions links;
  /// Of all tasks; which task it is, and its cluster, are set here.
  TaskOptions task;
  /// Offsets of the clocks of timelines, in nanoseconds, by task; those beyond
  /// have none.
  std::vector<int64_t> clockOffsets;
  int64_t instructionNanos = 2'000; ///< what an instruction costs a task
  /// The way of a packet takes from once to twice as long.
  int64_t latencyNanos = 50'000;
  double bytesPerNano = 1;
  /// Tasks see parts of each other's memory, as those of one host do: values
  /// of 64 KiB and more pass through it.
  bool hasSharedMemory = false;
  /// A client gives a conversation up when its task is silent for so long.
  int64_t keepaliveNanos = 5'000'000'000;
};

/// The tasks are real ones (TaskNode) and kernels really run; only time, the
/// network and processes are simulated. Events happen one after the other, in
/// the order of their times. Between tasks packets arrive in order unless the
/// script specifies otherwise; conversations with clients are in order always.
/// A partition holds packets back; where a link loses packets, it loses them.
/// Thread-safety: one call at a time.
class Simulation {
public:
  explicit Simulation(SimulationOptions options);
  ~Simulation();

  /// Begins now; lives as long as the simulation.
  StatusOr<ClientMachine *> addClient(std::shared_ptr<const Model> plan,
                                      const ClientOptions &options);
  /// The client's process ends: its conversations are gone.
  void removeClient(const ClientMachine *client);
  /// Lets the client act on what was begun. Call after each begin...().
  void wake(const ClientMachine *client);

  /// Runs until `isDone`, but not longer than `limitNanos`; true: it is done.
  bool runUntil(const std::function<bool()> &isDone, int64_t limitNanos);
  void runFor(int64_t nanos);

  /// A client has results of so many steps, for faults "at step".
  void noteSteps(int64_t steps);
  void note(std::string_view text); ///< a line of the log

  int64_t now() const;
  uint64_t events() const; ///< of tasks
  /// Null: the process is not there.
  const TaskMachine *task(TaskId task) const;
  bool isStopped(TaskId task) const;

  /// The faults that have come about, and when.
  struct Happened {
    Fault fault;
    int64_t at;
  };
  const std::vector<Happened> &happened() const;
  bool hasMoreFaults() const; ///< at steps or events to come
  /// The time at which the last of them is over.
  int64_t calmAt() const;

  const std::string &log() const;
  /// Violations of rules that always hold: a task that does not come to rest.
  const std::vector<std::string> &violations() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
