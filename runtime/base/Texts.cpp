// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Texts.h"

#include <cstdio>
#include <iterator>
#include <utility>

namespace graphc::runtime {

std::string escape(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
      continue;
    }
    result += "\\x";
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

std::string quote(std::string_view text) {
  std::string result(1, '\'');
  result += escape(text);
  result += '\'';
  return result;
}

std::string decimalBytes(uint64_t bytes) {
  static constexpr const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  if (bytes < 1000)
    return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), value < 9.95 ? "%.1f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

std::string binaryBytes(int64_t bytes) {
  static constexpr std::pair<const char *, int> kUnits[] = {
      {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (auto [unit, shift] : kUnits) {
    if (bytes < (int64_t{1} << shift))
      continue;
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.2f",
                  static_cast<double>(bytes) /
                      static_cast<double>(int64_t{1} << shift));
    // "4.00" is "4", "1.50" is "1.5".
    std::string digits = buffer;
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.')
      digits.pop_back();
    return digits + " " + unit;
  }
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

} // namespace graphc::runtime
