// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/PrintedLine.h"

#include "runtime/base/Half.h"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graphc::runtime {

namespace {

template <typename T> T elementAt(const std::byte *bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

/// As few digits as TensorFlow writes: the usual ones where they tell the
/// number, else enough for every number.
std::string floatText(double value, int digits, bool isSingle) {
  if (std::isnan(value))
    return "nan";
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  double read = isSingle ? std::strtof(text, nullptr) //
                         : std::strtod(text, nullptr);
  if (read != value)
    std::snprintf(text, sizeof(text), "%.*g", digits + (isSingle ? 3 : 2),
                  value);
  return text;
}

std::string elementText(DType dtype, const std::byte *bytes, uint64_t index) {
  switch (dtype) {
  case DType::Bool:
  case DType::UInt8:
    return std::to_string(elementAt<uint8_t>(bytes, index));
  case DType::Int32:
    return std::to_string(elementAt<int32_t>(bytes, index));
  case DType::Int64:
    return std::to_string(elementAt<int64_t>(bytes, index));
  case DType::Int8:
    return std::to_string(elementAt<int8_t>(bytes, index));
  case DType::Int16:
    return std::to_string(elementAt<int16_t>(bytes, index));
  case DType::UInt16:
    return std::to_string(elementAt<uint16_t>(bytes, index));
  case DType::UInt32:
    return std::to_string(elementAt<uint32_t>(bytes, index));
  case DType::UInt64:
    return std::to_string(elementAt<uint64_t>(bytes, index));
  case DType::Float32:
    return floatText(elementAt<float>(bytes, index), FLT_DIG, true);
  case DType::Float64:
    return floatText(elementAt<double>(bytes, index), DBL_DIG, false);
  case DType::Float16:
  case DType::BFloat16:
    return floatText(floatOfHalf(dtype, elementAt<uint16_t>(bytes, index)),
                     FLT_DIG, true);
  case DType::String: // no slot that is printed has any
    break;
  }
  return "?";
}

/// Writes the elements in order until `count` of them are there.
class Printer {
public:
  Printer(const PrintSpec &spec, const std::byte *bytes)
      : spec(spec), bytes(bytes) {}

  std::string print() {
    std::string values = dims() == 0 ? row(spec.count) : part(0);
    if (spec.count < static_cast<uint64_t>(spec.type.numElements()))
      values += "...";
    return spec.message + "[" + values + "]";
  }

private:
  size_t dims() const { return spec.type.shape.size(); }
  bool isFull() const { return done >= spec.count; }

  /// The next elements, `length` of them where they are wanted.
  std::string row(uint64_t length) {
    std::string text;
    for (uint64_t i = 0; i < length && !isFull(); ++i)
      text += (i > 0 ? " " : "") + elementText(spec.type.dtype, bytes, done++);
    return text;
  }

  /// A part of the value that has dimension `dim` and those behind it.
  std::string part(size_t dim) {
    auto length = static_cast<uint64_t>(spec.type.shape[dim]);
    if (dim + 1 == dims()) {
      uint64_t before = done;
      std::string text = row(length);
      return dim > 0 && done - before < length ? text + "..." : text;
    }
    std::string text;
    for (uint64_t i = 0; i < length && !isFull(); ++i)
      text += "[" + part(dim + 1) + "]";
    return text;
  }

  const PrintSpec &spec;
  const std::byte *bytes;
  uint64_t done = 0;
};

} // namespace

std::string printedLine(const PrintSpec &spec, const std::byte *bytes) {
  return Printer(spec, bytes).print();
}

} // namespace graphc::runtime
