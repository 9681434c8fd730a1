// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of tensors as numbers.
#ifndef GRAPHC_TOOLS_GRAPHC_CKPT_ELEMENTS_H
#define GRAPHC_TOOLS_GRAPHC_CKPT_ELEMENTS_H

#include "runtime/data/HostTensor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace graphc::ckpt {

/// Element `i`, exact but for int64 beyond 2^53.
inline double elementOf(const runtime::HostTensor &tensor, size_t i) {
  switch (tensor.type.dtype) {
  case runtime::DType::Float32:
    return tensor.as<float>()[i];
  case runtime::DType::Float64:
    return tensor.as<double>()[i];
  case runtime::DType::Int32:
    return tensor.as<int32_t>()[i];
  case runtime::DType::Int64:
    return static_cast<double>(tensor.as<int64_t>()[i]);
  default:
    return std::to_integer<int>(tensor.bytes[i]);
  }
}

inline size_t elementCount(const runtime::HostTensor &tensor) {
  return tensor.bytes.size() / runtime::dtypeSize(tensor.type.dtype);
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
inline double ulpsBetween(const runtime::HostTensor &a,
                          const runtime::HostTensor &b, size_t i) {
  double x = elementOf(a, i), y = elementOf(b, i);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? 0 : INFINITY;
  if (a.type.dtype == runtime::DType::Float32)
    return std::abs(static_cast<double>(orderedBits(a.as<float>()[i]) -
                                        orderedBits(b.as<float>()[i])));
  if (a.type.dtype == runtime::DType::Float64)
    return std::abs(static_cast<double>(orderedBits(a.as<double>()[i]) -
                                        orderedBits(b.as<double>()[i])));
  return std::abs(x - y);
}

} // namespace graphc::ckpt

#endif
