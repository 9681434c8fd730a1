// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/DType.h"

namespace graphc::runtime {

namespace {
struct DTypeRow {
  DType dtype;
  const char *name;
  size_t size;
};
constexpr DTypeRow kDTypes[] = {
    {DType::Bool, "bool", 1},         {DType::UInt8, "uint8", 1},
    {DType::Int32, "int32", 4},       {DType::Int64, "int64", 8},
    {DType::Float32, "float32", 4},   {DType::Float64, "float64", 8},
    {DType::String, "string", 0},     {DType::Float16, "float16", 2},
    {DType::BFloat16, "bfloat16", 2}, {DType::Int8, "int8", 1},
    {DType::Int16, "int16", 2},       {DType::UInt16, "uint16", 2},
    {DType::UInt32, "uint32", 4},     {DType::UInt64, "uint64", 8},
};
} // namespace

size_t dtypeSize(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)].size;
}

const char *dtypeName(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)].name;
}

std::optional<DType> parseDType(std::string_view name) {
  for (const DTypeRow &row : kDTypes)
    if (name == row.name)
      return row.dtype;
  return std::nullopt;
}

int64_t TensorType::numElements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

size_t TensorType::numBytes() const {
  return static_cast<size_t>(numElements()) * dtypeSize(dtype);
}

std::string TensorType::toString() const {
  std::string text = dtypeName(dtype);
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i)
      text += ',';
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

} // namespace graphc::runtime
