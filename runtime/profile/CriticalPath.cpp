// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/CriticalPath.h"

#include <algorithm>
#include <map>

namespace graphc::runtime {

namespace {

/// Ops that are tried without, of one step: those with the most time on its
/// path, which bounds what they can save.
constexpr size_t kMaxTried = 32;

class PathFinder {
public:
  PathFinder(const StepDependences &step, std::span<const std::string> names)
      : step(step), opOf(step.size()) {
    std::map<std::string_view, uint32_t> ops;
    for (uint32_t i = 0; i < step.size(); ++i) {
      auto [it, isNew] =
          ops.try_emplace(names[i], static_cast<uint32_t>(ops.size()));
      opOf[i] = it->second;
      if (isNew)
        path.ops.push_back({.name = names[i]});
    }
  }

  void add(const StepSchedule &schedule) {
    ++path.steps;
    path.nanos += static_cast<double>(schedule.nanos());
    for (uint32_t i = 0; i < step.size(); ++i)
      path.ops[opOf[i]].allNanos += static_cast<double>(schedule.durationOf(i));
    std::map<uint32_t, int64_t> onPath; // nanoseconds by op
    for (const StepSchedule::OnPath &each : schedule.longestPath()) {
      path.pauseNanos += static_cast<double>(each.pauseNanos);
      onPath[opOf[each.index]] += schedule.durationOf(each.index);
    }
    std::vector<std::pair<int64_t, uint32_t>> longest;
    for (auto [op, nanos] : onPath) {
      ++path.ops[op].steps;
      path.ops[op].nanos += static_cast<double>(nanos);
      longest.push_back({-nanos, op});
    }
    std::ranges::sort(longest);
    longest.resize(std::min(longest.size(), kMaxTried));
    for (auto [_, op] : longest)
      path.ops[op].savedNanos += static_cast<double>(saved(schedule, op));
  }

  CriticalPath take() {
    double count = std::max<uint32_t>(path.steps, 1);
    path.nanos /= count;
    path.pauseNanos /= count;
    std::erase_if(path.ops, [](const auto &op) { return op.steps == 0; });
    for (CriticalPath::Op &op : path.ops) {
      op.nanos /= count;
      op.allNanos /= count;
      op.savedNanos /= count;
    }
    std::ranges::stable_sort(path.ops, [](const auto &a, const auto &b) {
      return std::pair(a.savedNanos, a.nanos) >
             std::pair(b.savedNanos, b.nanos);
    });
    return std::move(path);
  }

private:
  int64_t saved(const StepSchedule &schedule, uint32_t op) const {
    std::vector<bool> isFree(step.size());
    for (uint32_t i = 0; i < step.size(); ++i)
      isFree[i] = opOf[i] == op;
    return schedule.nanos() - schedule.nanosWithout(isFree);
  }

  const StepDependences &step;
  std::vector<uint32_t> opOf; ///< by index of the instruction
  CriticalPath path;
};

} // namespace

CriticalPath criticalPathOf(const StepDependences &step,
                            std::span<const StepRecord> records,
                            std::span<const std::string> names,
                            const ThreadGroups &threads) {
  PathFinder finder(step, names);
  std::vector<std::pair<int64_t, size_t>> lengths;
  for (size_t i = 0; i < records.size(); ++i) {
    finder.add(StepSchedule(step, records[i], threads));
    lengths.push_back({records[i].nanos(), i});
  }
  CriticalPath path = finder.take();
  if (records.empty())
    return path;
  auto middle = lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  const StepRecord &median = records[middle->second];
  path.medianStep = median.step;
  path.medianPath = StepSchedule(step, median, threads).longestPath();
  return path;
}

} // namespace graphc::runtime
