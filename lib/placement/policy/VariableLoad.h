// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Load of a variable on its server in each step, and the servers.
#ifndef GRAPHC_LIB_PLACEMENT_POLICY_VARIABLELOAD_H
#define GRAPHC_LIB_PLACEMENT_POLICY_VARIABLELOAD_H

#include "lib/placement/inputs/DeviceSet.h"

#include "dialects/tfir/Tfir.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace graphc {

/// The devices among which one server of variables chooses, best first.
using VariableServer = std::vector<uint16_t>;

/// The tasks of job ps; if there are none, each CPU device is a server.
std::vector<VariableServer> variableServers(const DeviceSet &devices);

/// Counts the assignments to each variable in a step of each graph but `init`,
/// in all; what is never assigned is not there.
llvm::StringMap<unsigned> updateCounts(mlir::ModuleOp module);

/// Bytes that a step moves: those of the variable, as often as it is updated
/// but at least once.
double loadOf(tfir::VariableOp variable,
              const llvm::StringMap<unsigned> &updates);

} // namespace graphc

#endif
