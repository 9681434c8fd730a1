// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writing half of ExampleProto.h.
#include "runtime/data/tfrecord/ExampleProto.h"
#include "runtime/data/tfrecord/ProtoMessage.h"

#include <cstring>

namespace graphc::runtime {

namespace {

void addVarint(std::string &text, uint64_t value) {
  for (; value >= 128; value >>= 7)
    text += static_cast<char>((value & 127) | 128);
  text += static_cast<char>(value);
}

void addField(std::string &text, uint32_t number, std::string_view bytes) {
  addVarint(text, number << 3 | ProtoMessage::kLength);
  addVarint(text, bytes.size());
  text += bytes;
}

template <typename T>
std::string packIntegers(const std::byte *from, size_t count) {
  std::string packed;
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    addVarint(packed, static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  return packed;
}

std::string packFloats(const TensorType &type, const std::byte *from) {
  auto count = static_cast<size_t>(type.numElements());
  if (type.dtype == DType::Float32)
    return {reinterpret_cast<const char *>(from), count * sizeof(float)};
  std::string packed;
  for (size_t i = 0; i < count; ++i) {
    double wide = 0;
    std::memcpy(&wide, from + i * sizeof(double), sizeof(double));
    auto value = static_cast<float>(wide);
    packed.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  return packed;
}

std::string writeFeature(const TensorType &type, const std::byte *from) {
  auto count = static_cast<size_t>(type.numElements());
  std::string list, feature;
  auto kind = FeatureKind::Int64;
  if (type.dtype == DType::UInt8 && !type.shape.empty()) {
    kind = FeatureKind::Bytes; // images
    addField(list, 1, {reinterpret_cast<const char *>(from), count});
  } else if (type.dtype == DType::Float32 || type.dtype == DType::Float64) {
    kind = FeatureKind::Float;
    addField(list, 1, packFloats(type, from));
  } else if (type.dtype == DType::Int64) {
    addField(list, 1, packIntegers<int64_t>(from, count));
  } else if (type.dtype == DType::Int32) {
    addField(list, 1, packIntegers<int32_t>(from, count));
  } else {
    addField(list, 1, packIntegers<uint8_t>(from, count));
  }
  addField(feature, static_cast<uint32_t>(kind), list);
  return feature;
}

} // namespace

std::string writeExample(std::span<const ExampleField> fields,
                         std::span<const std::byte *const> places,
                         std::span<const std::vector<std::byte>> encoded) {
  std::string features;
  for (size_t f = 0; f < fields.size(); ++f) {
    std::string entry;
    addField(entry, 1, fields[f].key);
    if (f < encoded.size() && !encoded[f].empty()) {
      TensorType bytes{DType::UInt8, {static_cast<int64_t>(encoded[f].size())}};
      addField(entry, 2, writeFeature(bytes, encoded[f].data()));
    } else {
      addField(entry, 2, writeFeature(fields[f].type, places[f]));
    }
    addField(features, 1, entry);
  }
  std::string example;
  addField(example, 1, features);
  return example;
}

} // namespace graphc::runtime
