// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules that hold of a run in a simulated cluster, whatever the faults are.
#ifndef GRAPHC_RUNTIME_SIM_SIMRULES_H
#define GRAPHC_RUNTIME_SIM_SIMRULES_H

#include "runtime/sim/SimRun.h"

#include <string>
#include <vector>

namespace graphc::runtime {

/// True when a run may end by this fault.
bool mayEndRun(const Fault &fault, const SimulationOptions &options);

/// Violations of the rule that a failure has a fault that explains it, and
/// names a task that the only such fault hit. Success violates nothing.
std::vector<std::string>
checkCause(const Status &failure,
           const std::vector<Simulation::Happened> &happened,
           const SimulationOptions &options);

/// Violations of the rule that tasks keep nothing of a run once its clients
/// have gone.
std::vector<std::string> findResidue(Simulation &simulation,
                                     const ClusterSpec &cluster);

/// The same run without faults must give the same; only for plans whose steps
/// are ordered (no instances). Adds to the violations of `report`.
void compareRuns(SimRunReport &report, const SimRunReport &undisturbed);

} // namespace graphc::runtime

#endif
