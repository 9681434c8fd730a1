// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of tensors as numbers.
#ifndef GRAPHC_RUNTIME_INSPECT_VALUEELEMENTS_H
#define GRAPHC_RUNTIME_INSPECT_VALUEELEMENTS_H

#include "runtime/base/Half.h"
#include "runtime/data/HostTensor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace graphc::runtime {

/// Element `i` of the bytes of a tensor, exact but for int64 beyond 2^53.
/// REQUIRES: the type is not String.
inline double elementOf(DType dtype, std::span<const std::byte> bytes,
                        size_t i) {
  auto load = [&](auto value) {
    std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
    return static_cast<double>(value);
  };
  switch (dtype) {
  case DType::Float32:
    return load(float{});
  case DType::Float64:
    return load(double{});
  case DType::Int32:
    return load(int32_t{});
  case DType::Int64:
    return load(int64_t{});
  case DType::Int8:
    return load(int8_t{});
  case DType::Int16:
    return load(int16_t{});
  case DType::UInt16:
    return load(uint16_t{});
  case DType::UInt32:
    return load(uint32_t{});
  case DType::UInt64:
    return load(uint64_t{});
  case DType::Float16:
  case DType::BFloat16: {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    return floatOfHalf(dtype, bits);
  }
  default:
    return std::to_integer<int>(bytes[i]);
  }
}

inline double elementOf(const HostTensor &tensor, size_t i) {
  return elementOf(tensor.type.dtype, tensor.bytes, i);
}

inline size_t elementCount(const HostTensor &tensor) {
  return tensor.bytes.size() / dtypeSize(tensor.type.dtype);
}

/// Floats in the order of their values have numbers in order; those of two
/// neighbours differ by 1.
inline int64_t orderedBits(float value) {
  int32_t bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? int64_t{INT32_MIN} - bits : bits;
}
inline __int128 orderedBits(double value) {
  int64_t bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? __int128{INT64_MIN} - bits : __int128{bits};
}

/// Units in the last place between element `i` of two tensors of one type; for
/// whole numbers their difference; infinite where only one is NaN.
inline double ulpsBetween(const HostTensor &a, const HostTensor &b, size_t i) {
  double x = elementOf(a, i), y = elementOf(b, i);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? 0 : INFINITY;
  if (a.type.dtype == DType::Float32)
    return std::abs(static_cast<double>(orderedBits(a.as<float>()[i]) -
                                        orderedBits(b.as<float>()[i])));
  if (a.type.dtype == DType::Float64)
    return std::abs(static_cast<double>(orderedBits(a.as<double>()[i]) -
                                        orderedBits(b.as<double>()[i])));
  if (isHalf(a.type.dtype)) {
    // Floats of the same upper bits, or of as many steps of theirs.
    int shift = a.type.dtype == DType::BFloat16 ? 16 : 13;
    return std::abs(static_cast<double>(orderedBits(static_cast<float>(x)) -
                                        orderedBits(static_cast<float>(y)))) /
           (1 << shift);
  }
  if (a.type.dtype == DType::Int64) {
    __int128 by = __int128{a.as<int64_t>()[i]} - b.as<int64_t>()[i];
    return static_cast<double>(by < 0 ? -by : by);
  }
  if (a.type.dtype == DType::UInt64) {
    uint64_t own = a.as<uint64_t>()[i], other = b.as<uint64_t>()[i];
    return static_cast<double>(own < other ? other - own : own - other);
  }
  return std::abs(x - y);
}

} // namespace graphc::runtime

#endif
