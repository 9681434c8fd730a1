// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/Values.h"

#include "runtime/base/Half.h"
#include "runtime/state/StringTensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace graphc::run {

using runtime::DType;
using runtime::TensorType;

namespace {

constexpr int64_t kInlineElements = 16;

template <typename T> T load(std::span<const std::byte> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `use` with the element where the type is one of integers.
template <typename Use>
bool useInteger(DType dtype, std::span<const std::byte> bytes, size_t index,
                Use use) {
  switch (dtype) {
  case DType::Int8:
    return use(load<int8_t>(bytes, index)), true;
  case DType::UInt8:
    return use(load<uint8_t>(bytes, index)), true;
  case DType::Int16:
    return use(load<int16_t>(bytes, index)), true;
  case DType::UInt16:
    return use(load<uint16_t>(bytes, index)), true;
  case DType::Int32:
    return use(load<int32_t>(bytes, index)), true;
  case DType::UInt32:
    return use(load<uint32_t>(bytes, index)), true;
  case DType::Int64:
    return use(load<int64_t>(bytes, index)), true;
  case DType::UInt64:
    return use(load<uint64_t>(bytes, index)), true;
  default:
    return false;
  }
}

std::string formatElement(DType dtype, std::span<const std::byte> bytes,
                          size_t index) {
  if (dtype == DType::Bool)
    return load<uint8_t>(bytes, index) ? "true" : "false";
  std::string text;
  if (useInteger(dtype, bytes, index,
                 [&](auto integer) { text = std::to_string(integer); }))
    return text;
  return formatNumber(elementAt(dtype, bytes, index));
}

/// Writes the elements of dimension `dim` from `next` on as nested lists.
void appendNested(const TensorType &type, std::span<const std::byte> bytes,
                  size_t dim, size_t &next, std::string &text) {
  if (dim == type.shape.size()) {
    text += formatElement(type.dtype, bytes, next++);
    return;
  }
  text += '[';
  for (int64_t i = 0; i < type.shape[dim]; ++i) {
    text += i ? ", " : "";
    appendNested(type, bytes, dim + 1, next, text);
  }
  text += ']';
}

std::string summarize(const TensorType &type,
                      std::span<const std::byte> bytes) {
  double low = INFINITY, high = -INFINITY, sum = 0;
  size_t count = type.numElements();
  for (size_t i = 0; i < count; ++i) {
    double value = elementAt(type.dtype, bytes, i);
    if (std::isnan(value))
      return type.toString() + ", with NaN";
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  return type.toString() + ", min " + formatNumber(low) + ", max " +
         formatNumber(high) + ", mean " + formatNumber(sum / count);
}

/// The double that prints as the float does: 0.1 rather than 0.10000000149.
double shortened(double value) {
  char text[32];
  auto end =
      std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
  std::from_chars(text, end, value);
  return value;
}

nlohmann::ordered_json
elementAsJson(DType dtype, std::span<const std::byte> bytes, size_t index) {
  if (dtype == DType::Bool)
    return load<uint8_t>(bytes, index) != 0;
  nlohmann::ordered_json json;
  if (useInteger(dtype, bytes, index, [&](auto integer) { json = integer; }))
    return json;
  double value = elementAt(dtype, bytes, index);
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "Infinity" : "-Infinity";
  return dtype == DType::Float64 ? value : shortened(value);
}

nlohmann::ordered_json nestedAsJson(const TensorType &type,
                                    std::span<const std::byte> bytes,
                                    size_t dim, size_t &next) {
  if (dim == type.shape.size())
    return elementAsJson(type.dtype, bytes, next++);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (int64_t i = 0; i < type.shape[dim]; ++i)
    list.push_back(nestedAsJson(type, bytes, dim + 1, next));
  return list;
}

} // namespace

std::string formatNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

double elementAt(DType dtype, std::span<const std::byte> bytes, size_t index) {
  if (dtype == DType::Float32)
    return load<float>(bytes, index);
  if (dtype == DType::Float64)
    return load<double>(bytes, index);
  if (runtime::isHalf(dtype))
    return runtime::floatOfHalf(dtype, load<uint16_t>(bytes, index));
  if (dtype == DType::Bool)
    return load<uint8_t>(bytes, index) != 0;
  double value = 0;
  useInteger(dtype, bytes, index,
             [&](auto integer) { value = static_cast<double>(integer); });
  return value;
}

std::string formatValue(const TensorType &type,
                        std::span<const std::byte> bytes) {
  std::string text;
  if (type.dtype == DType::String) {
    for (std::string_view element : runtime::stringElements(bytes))
      text += (text.empty() ? "" : "\n") + std::string(element);
    return text;
  }
  if (type.numElements() > kInlineElements)
    return summarize(type, bytes);
  size_t next = 0;
  appendNested(type, bytes, 0, next, text);
  return text;
}

nlohmann::ordered_json valueAsJson(const TensorType &type,
                                   std::span<const std::byte> bytes) {
  if (type.dtype != DType::String) {
    size_t next = 0;
    return nestedAsJson(type, bytes, 0, next);
  }
  std::vector<std::string_view> elements = runtime::stringElements(bytes);
  if (type.shape.empty() && elements.size() == 1)
    return std::string(elements[0]);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::string_view element : elements)
    list.push_back(std::string(element));
  return list;
}

} // namespace graphc::run
