// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/program/GpuOrder.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

bool overlap(const std::vector<GpuRange> &a, const std::vector<GpuRange> &b) {
  return std::ranges::any_of(a, [&](const GpuRange &one) {
    return std::ranges::any_of(b, [&](const GpuRange &other) {
      return one.begin < other.end && other.begin < one.end;
    });
  });
}

void normalize(std::vector<GpuRange> &ranges) {
  std::ranges::sort(ranges, {}, &GpuRange::begin);
  std::vector<GpuRange> joined;
  for (const GpuRange &range : ranges)
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  ranges = std::move(joined);
}

bool isInConflict(const GpuWork &a, const GpuWork &b) {
  return a.isBarrier || b.isBarrier || a.uses.isInConflictWith(b.uses);
}

size_t indexOf(GpuStream stream) { return static_cast<size_t>(stream); }

} // namespace

void GpuUses::add(const GpuUses &other) {
  reads.insert(reads.end(), other.reads.begin(), other.reads.end());
  writes.insert(writes.end(), other.writes.begin(), other.writes.end());
}

void GpuUses::normalize() {
  runtime::normalize(reads);
  runtime::normalize(writes);
}

bool GpuUses::isInConflictWith(const GpuUses &other) const {
  return overlap(writes, other.writes) || overlap(writes, other.reads) ||
         overlap(reads, other.writes);
}

GpuOrder orderWork(std::span<const GpuWork> works) {
  GpuOrder order;
  order.waits.resize(works.size());
  order.isAwaited.resize(works.size());
  order.done.resize(works.size());
  std::array<std::vector<uint32_t>, kGpuStreams> inStream;
  for (uint32_t number = 0; number < works.size(); ++number) {
    const GpuWork &work = works[number];
    auto &done = order.done[number];
    if (auto &before = inStream[indexOf(work.stream)]; !before.empty())
      done = order.done[before.back()];
    // The latest work that is in conflict and not known to be done; whoever
    // waits for it waits for all that it waited for. So, what is found next is
    // not among that.
    auto latest = [&]() -> const uint32_t * {
      const uint32_t *found = nullptr;
      for (size_t stream = 0; stream < kGpuStreams; ++stream)
        for (size_t i = inStream[stream].size(); i-- > 0;) {
          const uint32_t &other = inStream[stream][i];
          if (stream == indexOf(work.stream) || other < done[stream] ||
              (found && other < *found))
            break;
          if (!isInConflict(work, works[other]))
            continue;
          found = &other;
          break;
        }
      return found;
    };
    while (const uint32_t *other = latest()) {
      order.waits[number].push_back(*other);
      order.isAwaited[*other] = true;
      for (size_t stream = 0; stream < kGpuStreams; ++stream)
        done[stream] = std::max(done[stream], order.done[*other][stream]);
    }
    done[indexOf(work.stream)] = number + 1;
    inStream[indexOf(work.stream)].push_back(number);
  }
  return order;
}

} // namespace graphc::runtime
