// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/StepSchedule.h"

#include <algorithm>
#include <numeric>

namespace graphc::runtime {

namespace {
constexpr uint32_t kNone = kOwnThreads;
} // namespace

template <typename Visitor>
void StepSchedule::forEachBefore(uint32_t index, Visitor visit) const {
  if (!step.isFirst(index))
    visit(index - 1);
  for (uint32_t other : step.othersBefore(index))
    visit(other);
  if (forThread[index] != kNone)
    visit(forThread[index]);
}

StepSchedule::StepSchedule(const StepDependences &step,
                           const StepRecord &record,
                           const ThreadGroups &threads)
    : step(step), forThread(step.size(), kNone), pauses(step.size()),
      durations(step.size()), ends(step.size()) {
  addThreadWaits(record, threads);
  if (!sort()) { // the clocks contradict the order of the programs
    forThread.assign(step.size(), kNone);
    sort();
  }
  findPauses(record);
}

/// Finds, for instructions that began later than they could, the op of another
/// program with the same threads that ended last before.
void StepSchedule::addThreadWaits(const StepRecord &record,
                                  const ThreadGroups &threads) {
  std::vector<uint32_t> byEnd;
  for (uint32_t i = 0; i < step.size(); ++i)
    if (record.has(i) && threads[step.programOf(i)] != kOwnThreads)
      byEnd.push_back(i);
  std::ranges::sort(byEnd, {}, [&](uint32_t i) { return record.ends[i]; });
  for (uint32_t i : byEnd) {
    int64_t ready = record.beginNanos;
    forEachBefore(i, [&](uint32_t before) {
      ready = std::max(ready, record.ends[before]);
    });
    auto after = std::ranges::upper_bound(
        byEnd, record.begins[i], {},
        [&](uint32_t each) { return record.ends[each]; });
    while (after != byEnd.begin() && record.ends[*--after] > ready) {
      uint32_t other = *after;
      if (step.programOf(other) == step.programOf(i) ||
          threads[step.programOf(other)] != threads[step.programOf(i)])
        continue;
      forThread[i] = other;
      break;
    }
  }
}

/// Orders the instructions; false: they come after each other in a circle.
bool StepSchedule::sort() {
  std::vector<uint32_t> missing(step.size());
  std::vector<std::vector<uint32_t>> after(step.size());
  for (uint32_t i = 0; i < step.size(); ++i)
    forEachBefore(i, [&](uint32_t before) {
      ++missing[i];
      after[before].push_back(i);
    });
  order.clear();
  for (uint32_t i = 0; i < step.size(); ++i)
    if (missing[i] == 0)
      order.push_back(i);
  for (size_t next = 0; next < order.size(); ++next)
    for (uint32_t i : after[order[next]])
      if (--missing[i] == 0)
        order.push_back(i);
  return order.size() == step.size();
}

void StepSchedule::findPauses(const StepRecord &record) {
  for (uint32_t i : order) {
    int64_t ready = 0;
    forEachBefore(
        i, [&](uint32_t before) { ready = std::max(ready, ends[before]); });
    ends[i] = ready;
    if (!record.has(i))
      continue;
    int64_t begin = std::max(record.begins[i] - record.beginNanos, ready);
    pauses[i] = begin - ready;
    durations[i] =
        std::max<int64_t>(0, record.ends[i] - record.beginNanos - begin);
    ends[i] = begin + durations[i];
    length = std::max(length, ends[i]);
  }
}

int64_t StepSchedule::nanosWithout(const std::vector<bool> &isFree) const {
  std::vector<int64_t> end(step.size());
  int64_t last = 0;
  for (uint32_t i : order) {
    int64_t ready = 0;
    forEachBefore(
        i, [&](uint32_t before) { ready = std::max(ready, end[before]); });
    end[i] = ready + pauses[i] + (isFree[i] ? 0 : durations[i]);
    last = std::max(last, end[i]);
  }
  return last;
}

std::vector<StepSchedule::OnPath> StepSchedule::longestPath() const {
  std::vector<OnPath> path;
  if (order.empty())
    return path;
  uint32_t next =
      *std::ranges::max_element(order, {}, [&](uint32_t i) { return ends[i]; });
  while (next != kNone) {
    uint32_t at = next;
    path.push_back({at, pauses[at]});
    next = kNone;
    forEachBefore(at, [&](uint32_t before) {
      if (next == kNone || ends[before] > ends[next])
        next = before;
    });
  }
  std::ranges::reverse(path);
  return path;
}

} // namespace graphc::runtime
