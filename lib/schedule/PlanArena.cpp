// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets by liveness, the largest range first.
#include "lib/schedule/PlanArena.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

using namespace llvm;

namespace graphc {

namespace {

constexpr int64_t kAlignment = 64;

int64_t padded(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment *
         kAlignment;
}

bool overlap(const LiveRange &a, const LiveRange &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The lowest offset at which `range` fits among those placed already, which
/// are in the order of their offsets.
int64_t lowestPlace(const LiveRange &range, ArrayRef<LiveRange *> placed) {
  int64_t place = 0;
  for (const LiveRange *other : placed) {
    if (place + padded(range.bytes) <= other->offset)
      break;
    if (overlap(range, *other))
      place = std::max(place, other->offset + padded(other->bytes));
  }
  return place;
}

int64_t largestSum(ArrayRef<LiveRange> ranges) {
  std::map<int64_t, int64_t> change;
  for (const LiveRange &range : ranges) {
    change[range.first] += padded(range.bytes);
    change[range.last + 1] -= padded(range.bytes);
  }
  int64_t sum = 0, most = 0;
  for (auto [at, delta] : change)
    most = std::max(most, sum += delta);
  return most;
}

} // namespace

ArenaPlan planArena(MutableArrayRef<LiveRange> ranges) {
  SmallVector<LiveRange *> order;
  for (LiveRange &range : ranges)
    order.push_back(&range);
  llvm::stable_sort(order, [](const LiveRange *a, const LiveRange *b) {
    return a->bytes > b->bytes;
  });
  ArenaPlan plan;
  SmallVector<LiveRange *> placed;
  for (LiveRange *range : order) {
    range->offset = lowestPlace(*range, placed);
    placed.insert(llvm::upper_bound(placed, range,
                                    [](const LiveRange *a, const LiveRange *b) {
                                      return a->offset < b->offset;
                                    }),
                  range);
    plan.bytes = std::max(plan.bytes, range->offset + padded(range->bytes));
  }
  plan.live = largestSum(ranges);
  return plan;
}

} // namespace graphc
