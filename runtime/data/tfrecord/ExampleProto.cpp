// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/tfrecord/ExampleProto.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/fields/FieldWriter.h"
#include "runtime/data/image/ImageField.h"
#include "runtime/data/tfrecord/ProtoMessage.h"

#include <cstring>
#include <limits>
#include <optional>

namespace graphc::runtime {

namespace {

using Bytes = std::span<const std::byte>;

using ListKind = FeatureKind;
constexpr uint32_t kVarint = ProtoMessage::kVarint,
                   kLength = ProtoMessage::kLength,
                   kFixed32 = ProtoMessage::kFixed32;
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

Status wrongValues(const ExampleField &field, const Status &status) {
  return Status(status.code(),
                "has feature '" + field.key + "' with " + status.message());
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
  ProtoMessage message(list);
  while (message.next()) {
    if (message.number != 1)
      continue;
    if (message.wire == kVarint) {
      GRAPHC_TRY(sink.add(static_cast<int64_t>(message.value)));
      continue;
    }
    ProtoMessage packed(message.bytes);
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
  ProtoMessage message(list);
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
  ProtoMessage message(list);
  std::optional<Bytes> only;
  size_t count = 0;
  while (message.next())
    if (message.number == 1 && message.wire == kLength && ++count == 1)
      only = message.bytes;
  if (message.isBroken)
    return broken();
  if (count != 1)
    return notFitting(field, std::to_string(count) + " values of bytes");
  static const ImageRules kDetected;
  const ImageRules &rules = field.options ? field.options->image : kDetected;
  if (isImageField(*only, field.type, rules)) {
    Status status = decodeImageField(*only, field.type, rules, to);
    return status.isOk() ? status : wrongValues(field, status);
  }
  if (only->size() != field.type.numBytes())
    return notFitting(field, std::to_string(only->size()) + " bytes");
  if (field.type.dtype == DType::Bool)
    for (std::byte byte : *only)
      if (byte > std::byte{1})
        return notFitting(field, "a byte that is neither 0 nor 1");
  std::memcpy(to, only->data(), only->size());
  return Status::ok();
}

/// Adds the values of a list to a writer.
Status addValues(Bytes list, ListKind kind, FieldWriter &writer) {
  ProtoMessage message(list);
  while (message.next()) {
    if (message.number != 1)
      continue;
    if (kind == ListKind::Bytes && message.wire == kLength) {
      GRAPHC_TRY(writer.addText(textOf(message.bytes)));
    } else if (kind == ListKind::Int64 && message.wire == kVarint) {
      GRAPHC_TRY(writer.addInteger(static_cast<int64_t>(message.value)));
    } else if (kind == ListKind::Int64) {
      ProtoMessage packed(message.bytes);
      uint64_t value = 0;
      while (!packed.isAtEnd()) {
        if (!packed.readVarint(value))
          return broken();
        GRAPHC_TRY(writer.addInteger(static_cast<int64_t>(value)));
      }
    } else if (kind == ListKind::Float) {
      for (size_t i = 0; i + sizeof(float) <= message.bytes.size();
           i += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, &message.bytes[i], sizeof(value));
        GRAPHC_TRY(writer.addReal(value));
      }
    }
  }
  return message.isBroken ? broken() : Status::ok();
}

/// The values as the field's options say.
Status readWithOptions(Bytes list, ListKind kind, const ExampleField &field,
                       std::byte *to) {
  FieldWriter writer(field.type, *field.options, to);
  Status status = kind == ListKind::None && field.options->fallback
                      ? writer.addFallback()
                      : addValues(list, kind, writer);
  if (status.isOk() && !(kind == ListKind::None && field.options->fallback))
    status = writer.finish();
  return status.isOk() || status.code() == StatusCode::DataLoss
             ? status
             : wrongValues(field, status);
}

Status readFeature(Bytes feature, const ExampleField &field, std::byte *to) {
  ProtoMessage message(feature);
  auto kind = ListKind::None;
  Bytes list;
  while (message.next())
    if (message.wire == kLength && message.number >= 1 && message.number <= 3) {
      kind = static_cast<ListKind>(message.number);
      list = message.bytes;
    }
  if (message.isBroken)
    return broken();
  if (field.options && !field.options->isPlain())
    return readWithOptions(list, kind, field, to);
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
  ProtoMessage top(example);
  while (top.next()) {
    if (top.number != 1 || top.wire != kLength)
      continue;
    ProtoMessage features(top.bytes);
    while (features.next()) {
      if (features.number != 1 || features.wire != kLength)
        continue;
      ProtoMessage entry(features.bytes);
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
    if (fields[f].options && fields[f].options->fallback) {
      GRAPHC_TRY(readWithOptions({}, ListKind::None, fields[f], places[f]));
      continue;
    }
    // Only now the names are worth their time.
    ProtoMessage again(example);
    while (again.next()) {
      ProtoMessage features(again.bytes);
      while (features.next()) {
        ProtoMessage entry(features.bytes);
        while (entry.next())
          if (entry.number == 1)
            others.emplace_back(textOf(entry.bytes));
      }
    }
    return missing(fields[f], others);
  }
  return Status::ok();
}

StatusOr<std::span<const std::byte>>
bytesOfExample(std::span<const std::byte> example, const std::string &key) {
  ProtoMessage top(example);
  while (top.next()) {
    ProtoMessage features(top.bytes);
    while (top.wire == kLength && features.next()) {
      ProtoMessage entry(features.bytes);
      Bytes name, value;
      while (features.wire == kLength && entry.next())
        if (entry.wire == kLength)
          (entry.number == 1 ? name : value) = entry.bytes;
      ProtoMessage feature(value);
      if (textOf(name) != key || !feature.next() || feature.number != 1 ||
          feature.wire != kLength)
        continue;
      ProtoMessage list(feature.bytes);
      if (list.next() && list.number == 1 && list.wire == kLength)
        return list.bytes;
    }
  }
  return failedPrecondition("has no feature '" + key + "' of bytes");
}

} // namespace graphc::runtime
