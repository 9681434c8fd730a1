// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole run in a simulated cluster, from opening to the values of variables,
// and what must hold of it whatever the faults were.
#ifndef GRAPHC_RUNTIME_SIM_SIMRUN_H
#define GRAPHC_RUNTIME_SIM_SIMRUN_H

#include "runtime/sim/Simulation.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace graphc::runtime {

struct SimRunOptions {
  std::shared_ptr<const Model> plan;
  SimulationOptions simulation;
  std::string graph;
  int64_t steps = 1; ///< 0: until a dataset ends
  /// Datasets and their files.
  std::vector<std::pair<std::string, std::string>> data;
  std::vector<NamedTensor> feeds; ///< the same in each step
  /// After a failure, when all tasks are there again and the faults are over,
  /// new clients run the same; they must not fail.
  bool isTriedAgain = false;
  /// Of all clients; incarnation, worker and chief are set here. A plan with
  /// instances for workers gets a client for each.
  ClientOptions client;
};

struct SimRunReport {
  /// Of the first client that failed.
  Status status;
  std::string failedIn; ///< "open", "initialize", "bind", "run" or "read"
  bool wasTriedAgain = false;
  std::vector<int64_t> steps; ///< by client
  uint64_t mostStale = 0;     ///< updates between a read and its update
  uint64_t lateGradients = 0; ///< as the last client to end counts them
  uint64_t results = 0;       ///< digest of all fetches of all steps
  std::map<std::string, std::vector<std::byte>> variables;
  /// From the last fault before the failure to the failure; -1: none.
  int64_t noticedAfterNanos = -1;
  /// Broken rules: a call that outlives its limit, a failure without a fault
  /// that explains it or with the wrong task named, something left in a task.
  std::vector<std::string> violations;
  uint64_t events = 0;
  int64_t nanos = 0;
  std::string log;
};

/// Thread-safety: any thread, for plans of their own.
StatusOr<SimRunReport> simulateRun(const SimRunOptions &options);

} // namespace graphc::runtime

#endif
