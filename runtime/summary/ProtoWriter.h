// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodes messages of protocol buffers. Event files have a few dozen fields of
// TensorFlow's messages, which is less than a library and generated code for
// them would be, and the bytes are the same in each run.
#ifndef GRAPHC_RUNTIME_SUMMARY_PROTOWRITER_H
#define GRAPHC_RUNTIME_SUMMARY_PROTOWRITER_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// One message, to which fields are appended by their numbers. Fields with the
/// value zero are written as well. Thread-safety: as a value type.
class ProtoWriter {
public:
  /// int32, int64, uint64, bool and enum.
  ProtoWriter &addInt(uint32_t field, int64_t value);
  ProtoWriter &addFloat(uint32_t field, float value);
  ProtoWriter &addDouble(uint32_t field, double value);
  ProtoWriter &addFixed64(uint32_t field, uint64_t value);
  /// string and bytes.
  ProtoWriter &addBytes(uint32_t field, std::string_view value);
  ProtoWriter &addMessage(uint32_t field, const ProtoWriter &message) {
    return addBytes(field, message.bytes());
  }
  /// Repeated and packed.
  ProtoWriter &addDoubles(uint32_t field, std::span<const double> values);

  const std::string &bytes() const { return encoded; }

private:
  void addVarint(uint64_t value);
  void addTag(uint32_t field, uint32_t wireType);
  void addRaw(const void *value, size_t size);

  std::string encoded;
};

} // namespace graphc::runtime

#endif
