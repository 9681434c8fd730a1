// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/ScopeBoxes.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::report {

namespace {

/// Ops without a scope share a box.
constexpr const char *kLoose = "ops without a scope";

std::string scopeOf(const std::string &name) {
  size_t slash = name.find('/');
  return slash == std::string::npos ? kLoose : name.substr(0, slash);
}

/// Box numbers by (device, scope), the smallest scopes of a device together.
class BoxNames {
public:
  BoxNames(const ReportGraph &graph, size_t most) {
    std::map<int32_t, std::map<std::string, uint32_t>> counts;
    for (size_t op = 0; op < graph.ops.size(); ++op)
      ++counts[graph.ops.device[op]][scopeOf(graph.ops.name[op])];
    for (const auto &[device, scopes] : counts) {
      std::vector<std::pair<uint32_t, std::string>> bySize;
      for (const auto &[scope, count] : scopes)
        bySize.push_back({count, scope});
      std::sort(bySize.begin(), bySize.end(), [](const auto &a, const auto &b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      if (bySize.size() <= most)
        continue;
      std::string rest =
          std::to_string(bySize.size() - most) + " smaller scopes";
      for (size_t i = most; i < bySize.size(); ++i)
        renamed[{device, bySize[i].second}] = rest;
    }
  }

  std::string operator()(int32_t device, const std::string &name) const {
    std::string scope = scopeOf(name);
    auto found = renamed.find({device, scope});
    return found == renamed.end() ? scope : found->second;
  }

private:
  std::map<std::pair<int32_t, std::string>, std::string> renamed;
};

/// Sums up what flows, a value once per target.
class FlowSum {
public:
  void add(uint32_t from, uint32_t to, uint32_t value, uint64_t bytes) {
    if (!seen.insert({value, to}).second)
      return;
    Flow &flow = flows[{from, to}];
    flow.bytes += bytes;
    ++flow.values;
  }
  std::vector<Flow> list() const {
    std::vector<Flow> result;
    for (const auto &[ends, flow] : flows)
      result.push_back({ends.first, ends.second, flow.bytes, flow.values});
    return result;
  }

private:
  std::set<std::pair<uint32_t, uint32_t>> seen;
  std::map<std::pair<uint32_t, uint32_t>, Flow> flows;
};

} // namespace

bool isCloned(const Report &report, const ReportGraph &graph, uint32_t op) {
  const std::string &kind = report.kinds[graph.ops.kind[op]];
  return kind == "Const" || kind == "StepState";
}

ScopeBoxes boxesOf(const Report &report, const ReportGraph &graph,
                   size_t most) {
  ScopeBoxes result;
  std::set<int32_t> used(graph.ops.device.begin(), graph.ops.device.end());
  result.devices.assign(used.begin(), used.end());
  // Variables are on CPUs as a rule, and what uses them follows.
  auto isOther = [&](int32_t device) {
    return device < 0 || !isCpuDevice(report.devices[device]);
  };
  std::sort(result.devices.begin(), result.devices.end(),
            [&](int32_t a, int32_t b) {
              return std::pair(isOther(a), a) < std::pair(isOther(b), b);
            });
  std::map<int32_t, uint32_t> deviceNumber;
  for (uint32_t i = 0; i < result.devices.size(); ++i)
    deviceNumber[result.devices[i]] = i;

  BoxNames names(graph, most);
  std::map<std::pair<uint32_t, std::string>, uint32_t> boxNumber;
  for (size_t op = 0; op < graph.ops.size(); ++op) {
    uint32_t device = deviceNumber[graph.ops.device[op]];
    std::string name = names(graph.ops.device[op], graph.ops.name[op]);
    auto [entry, isNew] =
        boxNumber.try_emplace({device, name}, result.boxes.size());
    if (isNew)
      result.boxes.push_back({name, device});
    result.boxOf.push_back(entry->second);
    ++result.boxes[entry->second].opCount;
  }

  FlowSum within, across;
  for (uint32_t op = 0; op < graph.ops.size(); ++op)
    for (uint32_t value : graph.ops.operands[op]) {
      uint32_t maker = graph.maker[value];
      uint64_t bytes = graph.valueSize[value];
      uint32_t from = result.boxOf[maker], to = result.boxOf[op];
      uint32_t source = result.boxes[from].device;
      uint32_t target = result.boxes[to].device;
      if (source != target && !isCloned(report, graph, maker))
        across.add(source, target, value, bytes);
      if (source == target && from != to)
        within.add(from, to, value, bytes);
    }
  result.within = within.list();
  result.across = across.list();
  return result;
}

} // namespace graphc::report
