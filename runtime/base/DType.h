// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and shapes of the values that the runtime handles.
#ifndef GRAPHC_RUNTIME_BASE_DTYPE_H
#define GRAPHC_RUNTIME_BASE_DTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// Element types, numbered as in model.fbs.
enum class DType : uint8_t {
  Bool = 0,
  UInt8 = 1,
  Int32 = 2,
  Int64 = 3,
  Float32 = 4,
  Float64 = 5,
  String = 6,
  Float16 = 7,
  BFloat16 = 8,
  Int8 = 9,
  Int16 = 10,
  UInt16 = 11,
  UInt32 = 12,
  UInt64 = 13
};
inline constexpr DType kLastDType = DType::UInt64;

/// Bytes of one element; 0 for String, whose elements differ in size.
size_t dtypeSize(DType dtype);

/// TensorFlow's name: "bool", "uint8", "int32", "int64", "float32", "float64",
/// "string", "float16", "bfloat16", "int8", "int16", "uint16", "uint32",
/// "uint64".
const char *dtypeName(DType dtype);

/// The type with that name, or nothing.
std::optional<DType> parseDType(std::string_view name);

/// An element type and a static shape.
struct TensorType {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape; ///< empty: a scalar

  int64_t numElements() const;
  /// numElements() * dtypeSize(dtype).
  size_t numBytes() const;
  /// "float32[100,784]"; a scalar prints as "float32[]".
  std::string toString() const;

  bool operator==(const TensorType &other) const = default;
};

} // namespace graphc::runtime

#endif
