// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 bits: Float16, as IEEE 754 has it, and BFloat16, the upper half
// of a Float32. They are stored as words and computed with as floats.
#ifndef GRAPHC_RUNTIME_BASE_HALF_H
#define GRAPHC_RUNTIME_BASE_HALF_H

#include "runtime/base/DType.h"

namespace graphc::runtime {

inline bool isHalf(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16;
}

/// The number that the bits stand for, exactly.
/// REQUIRES: isHalf(dtype).
float floatOfHalf(DType dtype, uint16_t bits);

/// The bits of the nearest number of the type; of two, of that whose last bit
/// is 0. What is too large becomes infinity, a NaN stays one.
/// REQUIRES: isHalf(dtype).
uint16_t halfOfFloat(DType dtype, float value);

} // namespace graphc::runtime

#endif
