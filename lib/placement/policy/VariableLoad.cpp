// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/policy/VariableLoad.h"

#include "dialects/tfir/Names.h"
#include "dialects/tfir/OpWork.h"

#include <algorithm>
#include <map>

namespace graphc {

std::vector<VariableServer> variableServers(const DeviceSet &devices) {
  std::map<runtime::DeviceName, VariableServer> tasks, processors;
  for (uint16_t i = 0; i < devices.size(); ++i) {
    const TargetDevice &device = devices[i];
    if (device.name.job == "ps")
      tasks[device.name.taskName()].push_back(i);
    if (device.type == "CPU")
      processors[device.name].push_back(i);
  }
  std::vector<VariableServer> servers;
  for (auto &[name, members] : tasks.empty() ? processors : tasks)
    servers.push_back(std::move(members));
  return servers;
}

llvm::StringMap<unsigned> updateCounts(mlir::ModuleOp module) {
  llvm::StringMap<unsigned> counts;
  for (auto graph : module.getOps<tfir::GraphOp>())
    if (graph.getSymName() != tfir::kInitGraph)
      for (auto assign : graph.getBlock().getOps<tfir::AssignOp>())
        ++counts[assign.getVariable()];
  return counts;
}

double loadOf(tfir::VariableOp variable,
              const llvm::StringMap<unsigned> &updates) {
  return double(bytesOf(variable.getTensorType())) *
         std::max(1u, updates.lookup(variable.getSymName()));
}

} // namespace graphc
