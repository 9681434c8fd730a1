// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/DeviceMasks.h"

namespace graphc {

DeviceMasks::DeviceMasks(size_t devices) {
  intern(llvm::BitVector(devices, true));
}

uint32_t DeviceMasks::intern(const llvm::BitVector &mask) {
  auto [entry, isNew] = numbers.try_emplace(mask, masks.size());
  if (isNew)
    masks.push_back(mask);
  return entry->second;
}

uint32_t DeviceMasks::intersect(uint32_t a, uint32_t b) {
  if (a == b || b == kAll)
    return a;
  if (a == kAll)
    return b;
  if (a > b)
    std::swap(a, b);
  auto [entry, isNew] = intersections.try_emplace({a, b}, 0);
  if (isNew) {
    llvm::BitVector both = masks[a];
    both &= masks[b];
    entry->second = intern(both);
  }
  return entry->second;
}

} // namespace graphc
