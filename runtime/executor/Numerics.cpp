// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Numerics.h"

#include "runtime/base/Half.h"

#include <cmath>
#include <cstring>

namespace graphc::runtime {

namespace {

/// Blocks are checked with one branch: the sum of x * 0 is 0 unless one of the
/// values is NaN or infinite.
template <typename T> NonFinite findIn(std::span<const std::byte> bytes) {
  constexpr size_t kBlock = 256;
  size_t count = bytes.size() / sizeof(T);
  T values[kBlock];
  for (size_t start = 0; start < count; start += kBlock) {
    size_t length = std::min(kBlock, count - start);
    std::memcpy(values, bytes.data() + start * sizeof(T), length * sizeof(T));
    T sum = 0;
    for (size_t i = 0; i < length; ++i)
      sum += values[i] * 0;
    if (sum == 0)
      continue;
    for (size_t i = 0; i < length; ++i)
      if (!std::isfinite(values[i]))
        return std::isnan(values[i]) ? NonFinite::Nan : NonFinite::Inf;
  }
  return NonFinite::None;
}

NonFinite findInHalves(DType dtype, std::span<const std::byte> bytes) {
  for (size_t i = 0; i + sizeof(uint16_t) <= bytes.size();
       i += sizeof(uint16_t)) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + i, sizeof(bits));
    float value = floatOfHalf(dtype, bits);
    if (!std::isfinite(value))
      return std::isnan(value) ? NonFinite::Nan : NonFinite::Inf;
  }
  return NonFinite::None;
}

} // namespace

const char *nonFiniteName(NonFinite kind) {
  return kind == NonFinite::Nan ? "NaN" : "Inf";
}

NonFinite findNonFinite(DType dtype, std::span<const std::byte> bytes) {
  if (dtype == DType::Float32)
    return findIn<float>(bytes);
  if (dtype == DType::Float64)
    return findIn<double>(bytes);
  if (isHalf(dtype))
    return findInHalves(dtype, bytes);
  return NonFinite::None;
}

} // namespace graphc::runtime
