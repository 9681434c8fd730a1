// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/host/AvailableMemory.h"

#include <charconv>
#include <fstream>
#include <iterator>

namespace graphc::runtime {

std::optional<uint64_t> availableMemory(const std::string &meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  constexpr uint64_t kUnit = 1024; // "kB" there
  size_t at = meminfo.find(kName);
  if (at == std::string::npos)
    return std::nullopt;
  size_t first = meminfo.find_first_not_of(' ', at + kName.size());
  if (first == std::string::npos)
    return std::nullopt;
  uint64_t units = 0, bytes = 0;
  auto [end, error] = std::from_chars(meminfo.data() + first,
                                      meminfo.data() + meminfo.size(), units);
  if (error != std::errc() || __builtin_mul_overflow(units, kUnit, &bytes))
    return std::nullopt;
  return bytes;
}

std::optional<uint64_t> availableMemory() {
  std::ifstream file("/proc/meminfo");
  return availableMemory(std::string(std::istreambuf_iterator<char>(file), {}));
}

} // namespace graphc::runtime
