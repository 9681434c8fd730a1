// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/summary/ReportNodes.h"

#include <set>

namespace graphc::run {

using namespace runtime;

namespace {

std::string deviceName(const report::Report &report, int32_t device) {
  return device < 0 ? "" : report.devices[static_cast<size_t>(device)];
}

/// The name, or one after it that is not taken yet.
std::string takeName(const std::string &name, std::set<std::string> &taken) {
  std::string free = name.empty() ? "_" : name;
  for (int number = 1; !taken.insert(free).second; ++number)
    free = name + "_" + std::to_string(number);
  return free;
}

} // namespace

std::vector<GraphDefNode> reportNodes(const report::Report &report,
                                      const report::ReportGraph &graph) {
  const report::ReportTable &ops = graph.ops;
  std::set<std::string> taken;
  std::vector<GraphDefNode> nodes(ops.size());
  std::vector<size_t> first(ops.size()); // result of each row, as a value
  size_t values = 0;
  for (size_t row = 0; row < ops.size(); ++row) {
    nodes[row].name = takeName(ops.name[row], taken);
    nodes[row].type = report.kinds[static_cast<size_t>(ops.kind[row])];
    nodes[row].device = deviceName(report, ops.device[row]);
    first[row] = values;
    values += ops.results[row].size();
  }
  for (size_t row = 0; row < ops.size(); ++row)
    for (uint32_t value : ops.operands[row]) {
      uint32_t maker = graph.maker[value];
      size_t index = value - first[maker];
      nodes[row].inputs.push_back(
          nodes[maker].name + (index > 0 ? ":" + std::to_string(index) : ""));
    }
  for (size_t row = 0; row < report.variables.size(); ++row)
    nodes.push_back({takeName(report.variables.name[row], taken),
                     "VariableV2",
                     deviceName(report, report.variables.device[row]),
                     {}});
  return nodes;
}

} // namespace graphc::run
