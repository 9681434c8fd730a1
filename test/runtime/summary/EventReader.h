// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads event files for tests: checks each record and the fields of messages.
#ifndef GRAPHC_TEST_RUNTIME_SUMMARY_EVENTREADER_H
#define GRAPHC_TEST_RUNTIME_SUMMARY_EVENTREADER_H

#include "runtime/base/Crc32c.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace graphc::runtime {

/// The records of a file's bytes; a test failure where one is not whole.
inline std::vector<std::string> recordsOf(const std::string &bytes) {
  std::vector<std::string> records;
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length = 0;
    uint32_t lengthCrc = 0, crc = 0;
    if (bytes.size() - at < 16) {
      ADD_FAILURE() << "a record ends within its header at " << at;
      break;
    }
    std::memcpy(&length, bytes.data() + at, 8);
    std::memcpy(&lengthCrc, bytes.data() + at + 8, 4);
    auto crcOf = [&](size_t from, size_t size) {
      return maskedCrc32c(std::as_bytes(std::span(bytes).subspan(from, size)));
    };
    EXPECT_EQ(lengthCrc, crcOf(at, 8));
    if (bytes.size() - at - 16 < length) {
      ADD_FAILURE() << "a record of " << length << " bytes is cut at " << at;
      break;
    }
    std::memcpy(&crc, bytes.data() + at + 12 + length, 4);
    EXPECT_EQ(crc, crcOf(at + 12, length));
    records.push_back(bytes.substr(at + 12, length));
    at += 16 + length;
  }
  return records;
}

inline std::vector<std::string> recordsIn(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return recordsOf({std::istreambuf_iterator<char>(file), {}});
}

/// The bytes of each field of a message: varints as 8 bytes.
inline std::multimap<uint32_t, std::string> fieldsOf(const std::string &bytes) {
  std::multimap<uint32_t, std::string> fields;
  size_t at = 0;
  auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; at < bytes.size(); shift += 7) {
      auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128)
        break;
    }
    return value;
  };
  while (at < bytes.size()) {
    uint64_t tag = varint(), size = 8, value = 0;
    switch (tag & 7) {
    case 0:
      value = varint();
      fields.emplace(tag >> 3,
                     std::string(reinterpret_cast<char *>(&value), 8));
      continue;
    case 2:
      size = varint();
      break;
    case 5:
      size = 4;
      break;
    default:
      EXPECT_EQ(tag & 7, 1u);
    }
    EXPECT_LE(size, bytes.size() - at);
    fields.emplace(tag >> 3, bytes.substr(at, size));
    at += size;
  }
  return fields;
}

/// The field of a path of numbers, each the first of its message; "" for none.
inline std::string fieldAt(std::string bytes, std::vector<uint32_t> path) {
  for (uint32_t number : path) {
    auto fields = fieldsOf(bytes);
    auto found = fields.find(number);
    if (found == fields.end())
      return "";
    bytes = found->second;
  }
  return bytes;
}

template <typename T> T numberOf(const std::string &bytes) {
  T value{};
  EXPECT_EQ(bytes.size(), sizeof(T));
  std::memcpy(&value, bytes.data(), std::min(sizeof(T), bytes.size()));
  return value;
}

} // namespace graphc::runtime

#endif
