// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of devices, each kept once and known by a number.
#ifndef GRAPHC_LIB_PLACEMENT_DEVICEMASKS_H
#define GRAPHC_LIB_PLACEMENT_DEVICEMASKS_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace graphc {

/// Thread-safety: none.
class DeviceMasks {
public:
  /// The set of all devices.
  static constexpr uint32_t kAll = 0;

  explicit DeviceMasks(size_t devices);

  /// The number of a set with one bit per device.
  uint32_t intern(const llvm::BitVector &mask);
  /// The number of what is in both.
  uint32_t intersect(uint32_t a, uint32_t b);

  const llvm::BitVector &operator[](uint32_t number) const {
    return masks[number];
  }
  bool isEmpty(uint32_t number) const { return masks[number].none(); }

private:
  std::vector<llvm::BitVector> masks;
  llvm::DenseMap<llvm::BitVector, uint32_t> numbers;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> intersections;
};

} // namespace graphc

#endif
