// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Escaping of texts that come from a file.
#include "runtime/format/Quote.h"

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

std::string_view viewOf(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

} // namespace graphc::runtime
