// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wire format of protobuf messages, as far as tf.Example needs it.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_PROTOMESSAGE_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_PROTOMESSAGE_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace graphc::runtime {

/// Fields of feature.proto: a Feature has one of three lists. A map entry of
/// Features has a key (1) and a value (2).
enum class FeatureKind : uint32_t { None = 0, Bytes = 1, Float = 2, Int64 = 3 };

/// Reads the fields of a message one after the other.
class ProtoMessage {
public:
  using Bytes = std::span<const std::byte>;
  static constexpr uint32_t kVarint = 0, kFixed64 = 1, kLength = 2,
                            kFixed32 = 5; ///< wire types

  explicit ProtoMessage(Bytes bytes) : rest(bytes) {}

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

} // namespace graphc::runtime

#endif
