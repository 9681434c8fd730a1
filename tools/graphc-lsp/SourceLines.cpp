// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/SourceLines.h"

#include <algorithm>

using llvm::StringRef;

namespace graphc::lsp {

/// Units of UTF-16 that the character beginning with the byte takes; 0 inside
/// of one.
static unsigned unitsOf(unsigned char byte) {
  return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

SourceLines::SourceLines(StringRef text) : text(text), begins{0} {
  for (size_t i = text.find('\n'); i != StringRef::npos;
       i = text.find('\n', i + 1))
    begins.push_back(i + 1);
}

Position SourceLines::positionOf(size_t offset) const {
  offset = std::min(offset, text.size());
  auto line = std::upper_bound(begins.begin(), begins.end(), offset) - 1;
  Position position{static_cast<unsigned>(line - begins.begin()), 0};
  for (size_t i = *line; i < offset; ++i)
    position.character += unitsOf(text[i]);
  return position;
}

size_t SourceLines::offsetOf(Position position) const {
  if (position.line >= begins.size())
    return text.size();
  size_t offset = begins[position.line];
  unsigned left = position.character;
  while (offset < text.size() && text[offset] != '\n') {
    unsigned units = unitsOf(text[offset]);
    if (units > left || (left == 0 && units > 0))
      break;
    left -= units;
    ++offset;
  }
  return offset;
}

llvm::json::Object toJson(Position position) {
  return llvm::json::Object{{"line", position.line},
                            {"character", position.character}};
}

Position positionFrom(const llvm::json::Object *object) {
  if (!object)
    return {};
  auto number = [&](StringRef key) {
    return static_cast<unsigned>(
        std::clamp<int64_t>(object->getInteger(key).value_or(0), 0, 1 << 30));
  };
  return {number("line"), number("character")};
}

llvm::json::Object SourceLines::range(size_t begin, size_t end) const {
  return llvm::json::Object{{"start", toJson(positionOf(begin))},
                            {"end", toJson(positionOf(end))}};
}

} // namespace graphc::lsp
