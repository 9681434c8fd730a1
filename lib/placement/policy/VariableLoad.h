// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a server has to do with a variable in each step, and who the servers
// are.
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

/// How often a step of each graph but `init` assigns to each variable, in all;
/// what is never assigned is not there.
llvm::StringMap<unsigned> updateCounts(mlir::ModuleOp module);

/// Bytes that a step moves: those of the variable, as often as it is updated
/// but at least once.
double loadOf(tfir::VariableOp variable,
              const llvm::StringMap<unsigned> &updates);

} // namespace graphc

#endif
