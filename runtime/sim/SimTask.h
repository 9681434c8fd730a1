// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's process in a simulation.
#ifndef GRAPHC_RUNTIME_SIM_SIMTASK_H
#define GRAPHC_RUNTIME_SIM_SIMTASK_H

#include "runtime/sim/SimClients.h"

#include <deque>

namespace graphc::runtime {

/// Components that all processes of a simulation share.
struct SimParts {
  SimEvents &events;
  SimHost &host;
  SimNetwork &network;
  SimClients &clients;
  const SimulationOptions &options;
  std::vector<std::string> &violations;
  std::function<void()> onEvent; ///< after each event of a task
};

/// Thread-safety: one call at a time.
class SimTask final : public NodeDriver {
public:
  SimTask(SimParts &parts, TaskId id);

  void begin(); ///< a new process
  void crash();
  void stop(int64_t forNanos);
  void slowDown(double by, int64_t forNanos);

  uint64_t incarnation() const { return node ? ofProcess : 0; }
  bool isStopped() const { return stopped; }
  const TaskMachine *machine() const {
    return node ? &node->machine() : nullptr;
  }
  void deliver(std::function<void(TaskNode &)> event);

  // NodeDriver
  int64_t nowNanos() const override { return parts.events.now(); }
  int64_t clockMillis() const override { return nowNanos() / 1'000'000; }
  void dial(TaskId peer) override { parts.network.dial(id, peer); }
  void hangUp(TaskId peer, const Status &why) override;
  void log(Severity severity, std::string_view text) override;
  int64_t stepNanos(size_t instructions) override;
  void stop() override;

private:
  void run(const std::function<void(TaskNode &)> &event);
  void goOn();
  void arm();

  SimParts &parts;
  const TaskId id;
  const std::string name;
  std::unique_ptr<TaskNode> node; ///< null: no process
  uint64_t ofProcess = 0;         ///< incarnation
  bool stopped = false;
  int64_t stoppedUntil = 0;
  double factor = 1;
  int64_t slowUntil = 0;
  std::deque<std::function<void(TaskNode &)>> inbox; ///< while it is stopped
  int64_t timerAt = INT64_MAX;
  int overdue = 0; ///< times in a row
};

} // namespace graphc::runtime

#endif
