// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that a network delivers in several places.
#ifndef GRAPHC_RUNTIME_LINK_BYTERANGES_H
#define GRAPHC_RUNTIME_LINK_BYTERANGES_H

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

namespace graphc::runtime {

using ByteRange = std::span<const std::byte>;

/// One range, and mostly no others: those that follow it. Refers to memory of
/// the caller.
class ByteRanges {
public:
  ByteRanges() = default;
  ByteRanges(const std::byte *bytes, size_t size) : front({bytes, size}) {}
  template <typename Bytes>
    requires std::convertible_to<const Bytes &, ByteRange>
  ByteRanges(const Bytes &bytes) : front(bytes) {}
  ByteRanges(ByteRange first, std::span<const ByteRange> others)
      : front(first), others(others) {}

  size_t size() const {
    size_t bytes = front.size();
    for (ByteRange range : others)
      bytes += range.size();
    return bytes;
  }
  ByteRange first() const { return front; }
  /// REQUIRES: the first range has so many.
  ByteRanges without(size_t bytes) const {
    return {front.subspan(bytes), others};
  }

  void copyTo(std::byte *to) const {
    to = std::ranges::copy(front, to).out;
    for (ByteRange range : others)
      to = std::ranges::copy(range, to).out;
  }
  std::vector<std::byte> copy() const {
    std::vector<std::byte> bytes(size());
    copyTo(bytes.data());
    return bytes;
  }

private:
  ByteRange front;
  std::span<const ByteRange> others;
};

} // namespace graphc::runtime

#endif
