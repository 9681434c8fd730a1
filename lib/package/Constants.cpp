// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/Constants.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <cstring>

using namespace mlir;

namespace graphc {

format::DType dtypeOf(Type element) {
  if (element.isF32())
    return format::DType::Float32;
  if (element.isF64())
    return format::DType::Float64;
  if (element.isF16())
    return format::DType::Float16;
  if (element.isBF16())
    return format::DType::BFloat16;
  if (element.isInteger(1))
    return format::DType::Bool;
  auto type = dyn_cast<IntegerType>(element);
  if (!type)
    return format::DType::String;
  switch (type.getWidth()) {
  case 8:
    return type.isUnsigned() ? format::DType::UInt8 : format::DType::Int8;
  case 16:
    return type.isUnsigned() ? format::DType::UInt16 : format::DType::Int16;
  case 32:
    return type.isUnsigned() ? format::DType::UInt32 : format::DType::Int32;
  default:
    return type.isUnsigned() ? format::DType::UInt64 : format::DType::Int64;
  }
}

/// count, then count + 1 offsets from the start, then the text.
static std::vector<char> stringBytes(DenseStringElementsAttr strings) {
  std::vector<char> bytes;
  auto put = [&](uint64_t value) {
    const char *raw = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof(value));
  };
  SmallVector<StringRef> texts;
  bool isSplat = strings.isSplat();
  int64_t count = strings.getNumElements();
  for (int64_t i = 0; i < count; ++i)
    texts.push_back(strings.getRawStringData()[isSplat ? 0 : i]);
  put(count);
  uint64_t at = sizeof(uint64_t) * (count + 2);
  for (StringRef text : texts) {
    put(at);
    at += text.size();
  }
  put(at);
  for (StringRef text : texts)
    bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

static void putNumber(std::vector<char> &bytes, const APInt &value,
                      unsigned size) {
  uint64_t bits = value.getZExtValue();
  const char *raw = reinterpret_cast<const char *>(&bits);
  bytes.insert(bytes.end(), raw, raw + size);
}

std::vector<char> constantBytes(ElementsAttr value) {
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value))
    return stringBytes(strings);
  auto dense = cast<DenseElementsAttr>(value);
  Type element = dense.getElementType();
  unsigned size = (element.getIntOrFloatBitWidth() + 7) / 8;
  std::vector<char> bytes;
  if (isa<FloatType>(element))
    for (const APFloat &number : dense.getValues<APFloat>())
      putNumber(bytes, number.bitcastToAPInt(), size);
  else
    for (const APInt &number : dense.getValues<APInt>())
      putNumber(bytes, number, size);
  return bytes;
}

} // namespace graphc
