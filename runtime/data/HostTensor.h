// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor in ordinary memory, as files, feeds and fetches carry it.
#ifndef GRAPHC_RUNTIME_DATA_HOSTTENSOR_H
#define GRAPHC_RUNTIME_DATA_HOSTTENSOR_H

#include "runtime/base/DType.h"

#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace graphc::runtime {

/// The DType whose elements are stored as T.
template <typename T> struct DTypeOf;
template <> struct DTypeOf<bool> {
  static constexpr DType kValue = DType::Bool;
};
template <> struct DTypeOf<uint8_t> {
  static constexpr DType kValue = DType::UInt8;
};
template <> struct DTypeOf<int32_t> {
  static constexpr DType kValue = DType::Int32;
};
template <> struct DTypeOf<int64_t> {
  static constexpr DType kValue = DType::Int64;
};
template <> struct DTypeOf<int8_t> {
  static constexpr DType kValue = DType::Int8;
};
template <> struct DTypeOf<int16_t> {
  static constexpr DType kValue = DType::Int16;
};
template <> struct DTypeOf<uint16_t> {
  static constexpr DType kValue = DType::UInt16;
};
template <> struct DTypeOf<uint32_t> {
  static constexpr DType kValue = DType::UInt32;
};
template <> struct DTypeOf<uint64_t> {
  static constexpr DType kValue = DType::UInt64;
};
template <> struct DTypeOf<float> {
  static constexpr DType kValue = DType::Float32;
};
template <> struct DTypeOf<double> {
  static constexpr DType kValue = DType::Float64;
};

/// A type and its elements: row-major, in the machine's (little) byte order,
/// type.numBytes() bytes. A string tensor holds what a String constant of
/// model.fbs holds. Thread-safety: as a value type.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> bytes;

  /// A tensor of that shape with copies of the values.
  /// REQUIRES: as many values as the shape has elements.
  template <typename T>
  static HostTensor of(std::vector<int64_t> shape, std::span<const T> values);

  /// The elements. REQUIRES: T is what type.dtype stores.
  template <typename T> std::span<const T> as() const {
    assert(DTypeOf<T>::kValue == type.dtype && "read as another type");
    return {reinterpret_cast<const T *>(bytes.data()),
            bytes.size() / sizeof(T)};
  }
  template <typename T> std::span<T> as() {
    assert(DTypeOf<T>::kValue == type.dtype && "written as another type");
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// A tensor with the name that a file or a model knows it by.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

template <typename T>
HostTensor HostTensor::of(std::vector<int64_t> shape,
                          std::span<const T> values) {
  HostTensor tensor{{DTypeOf<T>::kValue, std::move(shape)}, {}};
  assert(tensor.type.numBytes() == values.size_bytes());
  tensor.bytes.resize(values.size_bytes());
  if (!values.empty())
    std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
  return tensor;
}

} // namespace graphc::runtime

#endif
