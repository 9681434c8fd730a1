// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/tfrecord/ExampleProto.h"

#include "runtime/base/Suggest.h"

#include <cstring>
#include <limits>
#include <optional>

namespace graphc::runtime {

namespace {

using Bytes = std::span<const std::byte>;

// Wire types and field numbers of example.proto and feature.proto: a map entry
// has a key (1) and a value (2); a Feature has one of three lists.
constexpr uint32_t kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5;
enum class ListKind : uint32_t { None = 0, Bytes = 1, Float = 2, Int64 = 3 };

/// Reads the fields of a message one after the other.
class Message {
public:
  explicit Message(Bytes bytes) : rest(bytes) {}

  /// The next field; false at the end, or where the bytes are no message.
  bool next() {
    if (rest.empty())
      return false;
    uint64_t key = 0;
    if (!readVarint(key))
      return fail();
    number = static_cast<uint32_t>(key >> 3);
    wire = static_cast<uint32_t>(key & 7);
    if (wire == kVarint)
      return readVarint(value) || fail();
    uint64_t size = wire == kFixed64 ? 8 : wire == kFixed32 ? 4 : 0;
    if (wire == kLength && !readVarint(size))
      return fail();
    if ((wire != kLength && size == 0) || size > rest.size())
      return fail();
    bytes = rest.first(size);
    rest = rest.subspan(size);
    return true;
  }

  bool readVarint(uint64_t &result) {
    result = 0;
    for (uint32_t shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      auto byte = std::to_integer<uint64_t>(rest[0]);
      rest = rest.subspan(1);
      result |= (byte & 127) << shift;
      if (!(byte & 128))
        return true;
    }
    return false;
  }
  bool isAtEnd() const { return rest.empty(); }

  uint32_t number = 0, wire = 0;
  uint64_t value = 0; ///< of a varint
  Bytes bytes;        ///< of others
  bool isBroken = false;

private:
  bool fail() {
    isBroken = true;
    return false;
  }
  Bytes rest;
};

Status broken() {
  return dataLoss("is no tf.Example message; check what wrote the file");
}

std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

Status notFitting(const ExampleField &field, const std::string &what) {
  return invalidArgument("has feature '" + field.key + "' with " + what +
                         ", but the field is declared " +
                         field.type.toString());
}

template <typename T> bool fits(int64_t value) {
  if constexpr (sizeof(T) == 8 || std::is_floating_point_v<T>)
    return true;
  return value >= int64_t{std::numeric_limits<T>::lowest()} &&
         value <= int64_t{std::numeric_limits<T>::max()};
}

/// Writes integers as elements of a type; counts them.
class IntegerSink {
public:
  IntegerSink(const ExampleField &field, std::byte *to)
      : field(field), to(to), room(field.type.numElements()) {}

  Status add(int64_t value) {
    if (count++ >= room)
      return Status::ok(); // there are too many, which finish() tells
    switch (field.type.dtype) {
    case DType::Bool:
      return value == 0 || value == 1 ? store(static_cast<uint8_t>(value))
                                      : outside(value);
    case DType::UInt8:
      return fits<uint8_t>(value) ? store(static_cast<uint8_t>(value))
                                  : outside(value);
    case DType::Int32:
      return fits<int32_t>(value) ? store(static_cast<int32_t>(value))
                                  : outside(value);
    case DType::Int64:
      return store(value);
    default:
      return notFitting(field, "integers");
    }
  }
  Status finish() const {
    return count == room
               ? Status::ok()
               : notFitting(field, std::to_string(count) + " integers");
  }

private:
  template <typename T> Status store(T value) {
    std::memcpy(to, &value, sizeof(value));
    to += sizeof(value);
    return Status::ok();
  }
  Status outside(int64_t value) const {
    return notFitting(field, "the integer " + std::to_string(value));
  }

  const ExampleField &field;
  std::byte *to;
  int64_t room;
  int64_t count = 0;
};

Status readIntegers(Bytes list, const ExampleField &field, std::byte *to) {
  IntegerSink sink(field, to);
  Message message(list);
  while (message.next()) {
    if (message.number != 1)
      continue;
    if (message.wire == kVarint) {
      GRAPHC_TRY(sink.add(static_cast<int64_t>(message.value)));
      continue;
    }
    Message packed(message.bytes);
    uint64_t value = 0;
    while (!packed.isAtEnd()) {
      if (!packed.readVarint(value))
        return broken();
      GRAPHC_TRY(sink.add(static_cast<int64_t>(value)));
    }
  }
  return message.isBroken ? broken() : sink.finish();
}

Status readFloats(Bytes list, const ExampleField &field, std::byte *to) {
  if (field.type.dtype != DType::Float32 && field.type.dtype != DType::Float64)
    return notFitting(field, "floats");
  auto room = static_cast<size_t>(field.type.numElements());
  size_t count = 0;
  Message message(list);
  while (message.next()) {
    if (message.number != 1 ||
        (message.wire != kLength && message.wire != kFixed32))
      continue;
    size_t more = message.bytes.size() / sizeof(float);
    if (count + more > room) {
      count += more;
      continue;
    }
    for (size_t i = 0; i < more; ++i) {
      float value = 0;
      std::memcpy(&value, &message.bytes[i * sizeof(float)], sizeof(float));
      double wide = value;
      if (field.type.dtype == DType::Float32)
        std::memcpy(to + (count + i) * sizeof(float), &value, sizeof(float));
      else
        std::memcpy(to + (count + i) * sizeof(double), &wide, sizeof(double));
    }
    count += more;
  }
  if (message.isBroken)
    return broken();
  return count == room ? Status::ok()
                       : notFitting(field, std::to_string(count) + " floats");
}

Status readBytes(Bytes list, const ExampleField &field, std::byte *to) {
  Message message(list);
  std::optional<Bytes> only;
  size_t count = 0;
  while (message.next())
    if (message.number == 1 && message.wire == kLength && ++count == 1)
      only = message.bytes;
  if (message.isBroken)
    return broken();
  if (count != 1)
    return notFitting(field, std::to_string(count) + " values of bytes");
  if (only->size() != field.type.numBytes())
    return notFitting(field, std::to_string(only->size()) + " bytes");
  if (field.type.dtype == DType::Bool)
    for (std::byte byte : *only)
      if (byte > std::byte{1})
        return notFitting(field, "a byte that is neither 0 nor 1");
  std::memcpy(to, only->data(), only->size());
  return Status::ok();
}

Status readFeature(Bytes feature, const ExampleField &field, std::byte *to) {
  Message message(feature);
  auto kind = ListKind::None;
  Bytes list;
  while (message.next())
    if (message.wire == kLength && message.number >= 1 && message.number <= 3) {
      kind = static_cast<ListKind>(message.number);
      list = message.bytes;
    }
  if (message.isBroken)
    return broken();
  switch (kind) {
  case ListKind::Bytes:
    return readBytes(list, field, to);
  case ListKind::Float:
    return readFloats(list, field, to);
  case ListKind::Int64:
    return readIntegers(list, field, to);
  case ListKind::None:
    break;
  }
  return notFitting(field, "no values");
}

Status missing(const ExampleField &field,
               const std::vector<std::string> &features) {
  return invalidArgument(
      unknownName("", "feature", field.key, features).substr(1) +
      "; name the feature of a field with ?FIELD=KEY after the files");
}

} // namespace

Status readExample(Bytes example, std::span<const ExampleField> fields,
                   std::span<std::byte *const> places) {
  constexpr size_t kMostFields = 64;
  uint64_t found = 0;
  static_assert(kMostFields == 8 * sizeof(found));
  std::vector<std::string> others;
  Message top(example);
  while (top.next()) {
    if (top.number != 1 || top.wire != kLength)
      continue;
    Message features(top.bytes);
    while (features.next()) {
      if (features.number != 1 || features.wire != kLength)
        continue;
      Message entry(features.bytes);
      Bytes key, value;
      while (entry.next())
        if (entry.wire == kLength)
          (entry.number == 1 ? key : value) = entry.bytes;
      if (entry.isBroken)
        return broken();
      for (size_t f = 0; f < fields.size(); ++f)
        if (fields[f].key == textOf(key)) {
          GRAPHC_TRY(readFeature(value, fields[f], places[f]));
          found |= uint64_t{1} << f % kMostFields;
        }
    }
    if (features.isBroken)
      return broken();
  }
  if (top.isBroken)
    return broken();
  for (size_t f = 0; f < fields.size(); ++f) {
    if (found >> f % kMostFields & 1)
      continue;
    // Only now the names are worth their time.
    Message again(example);
    while (again.next()) {
      Message features(again.bytes);
      while (features.next()) {
        Message entry(features.bytes);
        while (entry.next())
          if (entry.number == 1)
            others.emplace_back(textOf(entry.bytes));
      }
    }
    return missing(fields[f], others);
  }
  return Status::ok();
}

namespace {

void addVarint(std::string &text, uint64_t value) {
  for (; value >= 128; value >>= 7)
    text += static_cast<char>((value & 127) | 128);
  text += static_cast<char>(value);
}

void addField(std::string &text, uint32_t number, std::string_view bytes) {
  addVarint(text, number << 3 | kLength);
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
  auto kind = ListKind::Int64;
  if (type.dtype == DType::UInt8 && !type.shape.empty()) {
    kind = ListKind::Bytes; // images
    addField(list, 1, {reinterpret_cast<const char *>(from), count});
  } else if (type.dtype == DType::Float32 || type.dtype == DType::Float64) {
    kind = ListKind::Float;
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
                         std::span<const std::byte *const> places) {
  std::string features;
  for (size_t f = 0; f < fields.size(); ++f) {
    std::string entry;
    addField(entry, 1, fields[f].key);
    addField(entry, 2, writeFeature(fields[f].type, places[f]));
    addField(features, 1, entry);
  }
  std::string example;
  addField(example, 1, features);
  return example;
}

} // namespace graphc::runtime
