// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of the elements of a value.
#ifndef GRAPHC_RUNTIME_INSPECT_VALUESTATS_H
#define GRAPHC_RUNTIME_INSPECT_VALUESTATS_H

#include "runtime/base/DType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace graphc::runtime {

/// Of all elements; the five numbers are of the finite ones, 0 where there are
/// none, and computed in double precision in the order of the elements.
struct ValueStats {
  uint64_t count = 0, zeros = 0, nans = 0, infs = 0;
  double min = 0, max = 0;
  double mean = 0;
  double deviation = 0; ///< standard deviation, of the elements as they are
  double norm = 0;      ///< root of the sum of the squares

  bool isFinite() const { return nans == 0 && infs == 0; }
};

/// REQUIRES: `bytes` are elements of that type, which is not String.
ValueStats statsOf(DType dtype, std::span<const std::byte> bytes);

/// "min -1 max 2.5 mean 0.5 std 1.2 norm 3.1 zeros 0 nan 0 inf 0".
std::string statsText(const ValueStats &stats);

/// "[1,2]", the place of an element; "" of a scalar.
std::string placeText(const TensorType &type, uint64_t element);

/// Nine significant digits, as many as a float needs.
std::string elementText(double value);

} // namespace graphc::runtime

#endif
