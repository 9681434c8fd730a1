// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace graphc::runtime {

namespace {

constexpr uint16_t kBrainNaN = 0x7fc0, kHalfNaN = 0x7e00;
constexpr uint16_t kHalfInfinity = 0x7c00;

float floatOfBits(uint32_t bits) { return std::bit_cast<float>(bits); }

float floatOfIeee(uint16_t bits) {
  float sign = bits & 0x8000 ? -1.0F : 1.0F;
  int exponent = (bits >> 10) & 0x1f;
  int mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return mantissa ? std::nanf("") : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
}

uint16_t ieeeOfFloat(float value) {
  auto sign =
      static_cast<uint16_t>((std::bit_cast<uint32_t>(value) >> 16) & 0x8000);
  if (std::isnan(value))
    return sign | kHalfNaN;
  float size = std::fabs(value);
  if (size >= 65520.0F) // halfway between the largest number and the next one
    return sign | kHalfInfinity;
  if (size == 0)
    return sign;
  // In units of the last place, of which subnormal numbers have the smallest.
  int exponent = std::max(std::ilogb(size), -14);
  auto units =
      static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  // Units that reach the next power of two carry into the exponent by
  // themselves.
  uint32_t bits = static_cast<uint32_t>(exponent + 14) * 0x400 + units;
  return static_cast<uint16_t>(sign | bits);
}

uint16_t brainOfFloat(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>((bits >> 16) & 0x8000) | kBrainNaN;
  // To the nearest: just below a half is added, and a half if the last bit
  // is 1.
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace

float floatOfHalf(DType dtype, uint16_t bits) {
  return dtype == DType::BFloat16 ? floatOfBits(uint32_t{bits} << 16)
                                  : floatOfIeee(bits);
}

uint16_t halfOfFloat(DType dtype, float value) {
  return dtype == DType::BFloat16 ? brainOfFloat(value) : ieeeOfFloat(value);
}

} // namespace graphc::runtime
