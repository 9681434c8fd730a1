// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/trace/TraceData.h"

#include <algorithm>
#include <numeric>

namespace graphc::run {

uint32_t TraceData::addProcess(const std::string &name) {
  auto found = std::ranges::find(processes, name, &TraceProcess::name);
  if (found == processes.end())
    found = processes.insert(found, TraceProcess{name, ""});
  return static_cast<uint32_t>(found - processes.begin());
}

uint32_t TraceData::addTrack(uint32_t process, std::string name) {
  tracks.push_back({process, std::move(name)});
  return static_cast<uint32_t>(tracks.size() - 1);
}

uint32_t TraceData::nameOf(const std::string &name) {
  auto [entry, isNew] =
      numbers.emplace(name, static_cast<uint32_t>(names.size()));
  if (isNew)
    names.push_back(name);
  return entry->second;
}

int64_t TraceData::start() const {
  int64_t least = slices.empty() ? 0 : slices.front().begin;
  for (const TraceSlice &slice : slices)
    least = std::min(least, slice.begin);
  return least;
}

std::vector<uint32_t> TraceData::inOrder() const {
  std::vector<uint32_t> order(slices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](uint32_t one, uint32_t other) {
    const TraceSlice &a = slices[one], &b = slices[other];
    return a.track != b.track ? a.track < b.track : a.begin < b.begin;
  });
  return order;
}

} // namespace graphc::run
