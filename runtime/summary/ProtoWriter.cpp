// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/ProtoWriter.h"

namespace graphc::runtime {

namespace {
constexpr uint32_t kVarint = 0, kFixed64 = 1, kLengthPrefixed = 2, kFixed32 = 5;
} // namespace

void ProtoWriter::addVarint(uint64_t value) {
  for (; value >= 128; value >>= 7)
    encoded.push_back(static_cast<char>(value | 128));
  encoded.push_back(static_cast<char>(value));
}

void ProtoWriter::addTag(uint32_t field, uint32_t wireType) {
  addVarint(static_cast<uint64_t>(field) << 3 | wireType);
}

void ProtoWriter::addRaw(const void *value, size_t size) {
  encoded.append(static_cast<const char *>(value), size);
}

ProtoWriter &ProtoWriter::addInt(uint32_t field, int64_t value) {
  addTag(field, kVarint);
  addVarint(static_cast<uint64_t>(value));
  return *this;
}

ProtoWriter &ProtoWriter::addFloat(uint32_t field, float value) {
  addTag(field, kFixed32);
  addRaw(&value, sizeof(value));
  return *this;
}

ProtoWriter &ProtoWriter::addDouble(uint32_t field, double value) {
  addTag(field, kFixed64);
  addRaw(&value, sizeof(value));
  return *this;
}

ProtoWriter &ProtoWriter::addFixed64(uint32_t field, uint64_t value) {
  addTag(field, kFixed64);
  addRaw(&value, sizeof(value));
  return *this;
}

ProtoWriter &ProtoWriter::addBytes(uint32_t field, std::string_view value) {
  addTag(field, kLengthPrefixed);
  addVarint(value.size());
  encoded.append(value);
  return *this;
}

ProtoWriter &ProtoWriter::addDoubles(uint32_t field,
                                     std::span<const double> values) {
  addTag(field, kLengthPrefixed);
  addVarint(values.size_bytes());
  addRaw(values.data(), values.size_bytes());
  return *this;
}

} // namespace graphc::runtime
