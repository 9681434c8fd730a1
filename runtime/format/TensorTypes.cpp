// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the file checked and turned into the runtime's own.
#include "runtime/format/TensorTypes.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr uint32_t kMaxRank = 32;

std::string textOf(int64_t number) { return std::to_string(number); }
} // namespace

TensorType toTensorType(const format::TensorType &type) {
  TensorType result;
  result.dtype = static_cast<DType>(type.dtype());
  if (type.shape())
    result.shape.assign(type.shape()->begin(), type.shape()->end());
  return result;
}

StatusOr<uint64_t> checkedBytes(const format::TensorType &type) {
  auto number = static_cast<uint8_t>(type.dtype());
  if (number > static_cast<uint8_t>(kLastDType))
    return dataLoss("element type " + textOf(number) + " is not known");
  uint64_t elementSize = dtypeSize(static_cast<DType>(number));
  if (!type.shape())
    return elementSize;
  if (type.shape()->size() > kMaxRank)
    return dataLoss("a shape has " + textOf(type.shape()->size()) +
                    " dimensions; the limit is " + textOf(kMaxRank));
  if (!isAligned(*type.shape()))
    return dataLoss("a shape is not aligned");
  // Zeros count as ones here: 0 * 2^62 * 2^62 must not pass, because who
  // multiplies in another order would overflow.
  uint64_t bound = std::max<uint64_t>(elementSize, 1);
  bool empty = false;
  for (int64_t dim : *type.shape()) {
    if (dim < 0)
      return dataLoss("dimension " + textOf(dim) + " is negative");
    empty |= dim == 0;
    uint64_t factor = std::max<uint64_t>(dim, 1);
    if (factor > kMaxBytes / bound)
      return dataLoss("a shape has more than " + textOf(kMaxBytes) + " bytes");
    bound *= factor;
  }
  return empty || elementSize == 0 ? uint64_t(0) : bound;
}

uint64_t countElements(const format::TensorType &type) {
  uint64_t count = 1;
  if (type.shape())
    for (int64_t dim : *type.shape())
      count *= static_cast<uint64_t>(dim);
  return count;
}

bool sameType(const format::TensorType &a, const format::TensorType &b) {
  size_t rankA = a.shape() ? a.shape()->size() : 0;
  size_t rankB = b.shape() ? b.shape()->size() : 0;
  if (a.dtype() != b.dtype() || rankA != rankB)
    return false;
  return rankA == 0 ||
         std::equal(a.shape()->begin(), a.shape()->end(), b.shape()->begin());
}

} // namespace graphc::runtime
