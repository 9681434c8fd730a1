// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/CopyBytes.h"

#include <cstdint>
#include <cstring>
#include <emmintrin.h>

namespace graphc::runtime {

namespace {
constexpr size_t kLargeBytes = 4 << 20;
constexpr size_t kLine = 64;

/// REQUIRES: `to` is aligned to 16 bytes, `lines` whole cache lines.
void streamLines(std::byte *to, const std::byte *from, size_t lines) {
  constexpr size_t kPart = sizeof(__m128i);
  for (size_t i = 0; i < lines * kLine; i += kLine)
    for (size_t part = 0; part < kLine; part += kPart)
      _mm_stream_si128(
          reinterpret_cast<__m128i *>(to + i + part),
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i + part)));
  // Other threads see these stores before any later one.
  _mm_sfence();
}
} // namespace

void copyBytes(std::byte *to, std::span<const std::byte> from) {
  if (from.empty())
    return;
  size_t lines = from.size() < kLargeBytes ? 0 : from.size() / kLine;
  if (reinterpret_cast<uintptr_t>(to) % kLine)
    lines = 0;
  if (lines)
    streamLines(to, from.data(), lines);
  size_t done = lines * kLine;
  std::memcpy(to + done, from.data() + done, from.size() - done);
}

} // namespace graphc::runtime
