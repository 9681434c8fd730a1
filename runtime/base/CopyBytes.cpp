// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/CopyBytes.h"

#include <cpuid.h>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>

namespace graphc::runtime {

namespace {
/// From here on memcpy goes past the caches, in a way that is slow.
constexpr size_t kStringBytes = 1 << 20;
/// More than a reader may still find in a cache.
constexpr size_t kLargeBytes = 32 << 20;
/// kLargeBytes of CPUs without fast string instructions.
constexpr size_t kLargeBytesWithout = 4 << 20;
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
/// True when `rep movsb` is fast ("ERMS").
bool hasFastStrings() {
  constexpr unsigned kErms = 1u << 9;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kErms);
}

void copyString(std::byte *to, const std::byte *from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
} // namespace

void copyBytes(std::byte *to, std::span<const std::byte> from) {
  if (from.empty())
    return;
  static const bool hasStrings = hasFastStrings();
  size_t large = hasStrings ? kLargeBytes : kLargeBytesWithout;
  if (hasStrings && from.size() >= kStringBytes && from.size() < large) {
    copyString(to, from.data(), from.size());
    return;
  }
  size_t lines = from.size() < large ? 0 : from.size() / kLine;
  if (reinterpret_cast<uintptr_t>(to) % kLine)
    lines = 0;
  if (lines)
    streamLines(to, from.data(), lines);
  size_t done = lines * kLine;
  std::memcpy(to + done, from.data() + done, from.size() - done);
}

} // namespace graphc::runtime
