// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/StringTensor.h"

#include <cstdint>
#include <cstring>

namespace graphc::runtime {

std::vector<std::string_view> stringElements(std::span<const std::byte> bytes) {
  auto word = [&](size_t index) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  };
  size_t words = bytes.size() / sizeof(uint64_t);
  if (words < 2 || word(0) > words - 2)
    return {};
  std::vector<std::string_view> elements;
  for (uint64_t i = 0; i < word(0); ++i) {
    uint64_t begin = word(1 + i), end = word(2 + i);
    if (begin > end || end > bytes.size())
      return {};
    elements.emplace_back(reinterpret_cast<const char *>(bytes.data()) + begin,
                          end - begin);
  }
  return elements;
}

} // namespace graphc::runtime
