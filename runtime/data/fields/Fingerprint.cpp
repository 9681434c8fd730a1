// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithm is FarmHash 1.1's farmhashna::Hash64 (MIT licence, Google),
// which its authors promise not to change as Fingerprint64.
#include "runtime/data/fields/Fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace graphc::runtime {

namespace {

constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273,
                   k2 = 0x9ae16a3b2f90404f;

uint64_t fetch64(const char *at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
uint32_t fetch32(const char *at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
uint64_t mixShift(uint64_t value) { return value ^ (value >> 47); }

uint64_t hash16(uint64_t u, uint64_t v, uint64_t mul) {
  uint64_t a = (u ^ v) * mul;
  a ^= a >> 47;
  uint64_t b = (v ^ a) * mul;
  b ^= b >> 47;
  return b * mul;
}

uint64_t hash0to16(const char *s, size_t size) {
  if (size >= 8) {
    uint64_t mul = k2 + size * 2;
    uint64_t a = fetch64(s) + k2;
    uint64_t b = fetch64(s + size - 8);
    uint64_t c = std::rotr(b, 37) * mul + a;
    uint64_t d = (std::rotr(a, 25) + b) * mul;
    return hash16(c, d, mul);
  }
  if (size >= 4) {
    uint64_t mul = k2 + size * 2;
    uint64_t a = fetch32(s);
    return hash16(size + (a << 3), fetch32(s + size - 4), mul);
  }
  if (size == 0)
    return k2;
  auto a = static_cast<uint8_t>(s[0]), b = static_cast<uint8_t>(s[size >> 1]),
       c = static_cast<uint8_t>(s[size - 1]);
  uint32_t y = a + (uint32_t{b} << 8);
  uint32_t z = static_cast<uint32_t>(size) + (uint32_t{c} << 2);
  return mixShift(y * k2 ^ z * k0) * k2;
}

uint64_t hash17to32(const char *s, size_t size) {
  uint64_t mul = k2 + size * 2;
  uint64_t a = fetch64(s) * k1;
  uint64_t b = fetch64(s + 8);
  uint64_t c = fetch64(s + size - 8) * mul;
  uint64_t d = fetch64(s + size - 16) * k2;
  return hash16(std::rotr(a + b, 43) + std::rotr(c, 30) + d,
                a + std::rotr(b + k2, 18) + c, mul);
}

uint64_t hash33to64(const char *s, size_t size) {
  uint64_t mul = k2 + size * 2;
  uint64_t a = fetch64(s) * k2;
  uint64_t b = fetch64(s + 8);
  uint64_t c = fetch64(s + size - 8) * mul;
  uint64_t d = fetch64(s + size - 16) * k2;
  uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  uint64_t z = hash16(y, a + std::rotr(b + k2, 18) + c, mul);
  uint64_t e = fetch64(s + 16) * mul;
  uint64_t f = fetch64(s + 24);
  uint64_t g = (y + fetch64(s + size - 32)) * mul;
  uint64_t h = (z + fetch64(s + size - 24)) * mul;
  return hash16(std::rotr(e + f, 43) + std::rotr(g, 30) + h,
                e + std::rotr(f + a, 18) + g, mul);
}

using Pair = std::pair<uint64_t, uint64_t>;

Pair weakHash32(const char *s, uint64_t a, uint64_t b) {
  uint64_t w = fetch64(s), x = fetch64(s + 8), y = fetch64(s + 16),
           z = fetch64(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  uint64_t c = a;
  a += x;
  a += y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

} // namespace

uint64_t fingerprint64(std::string_view text) {
  const char *s = text.data();
  size_t size = text.size();
  if (size <= 16)
    return hash0to16(s, size);
  if (size <= 32)
    return hash17to32(s, size);
  if (size <= 64)
    return hash33to64(s, size);
  constexpr uint64_t kSeed = 81;
  uint64_t x = kSeed, y = kSeed * k1 + 113, z = mixShift(y * k2 + 113) * k2;
  Pair v{0, 0}, w{0, 0};
  x = x * k2 + fetch64(s);
  const char *end = s + (size - 1) / 64 * 64;
  const char *last64 = end + ((size - 1) & 63) - 63;
  do {
    x = std::rotr(x + y + v.first + fetch64(s + 8), 37) * k1;
    y = std::rotr(y + v.second + fetch64(s + 48), 42) * k1;
    x ^= w.second;
    y += v.first + fetch64(s + 40);
    z = std::rotr(z + w.first, 33) * k1;
    v = weakHash32(s, v.second * k1, x + w.first);
    w = weakHash32(s + 32, z + w.second, y + fetch64(s + 16));
    std::swap(z, x);
    s += 64;
  } while (s != end);
  uint64_t mul = k1 + ((z & 0xff) << 1);
  s = last64;
  w.first += (size - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  x = std::rotr(x + y + v.first + fetch64(s + 8), 37) * mul;
  y = std::rotr(y + v.second + fetch64(s + 48), 42) * mul;
  x ^= w.second * 9;
  y += v.first * 9 + fetch64(s + 40);
  z = std::rotr(z + w.first, 33) * mul;
  v = weakHash32(s, v.second * mul, x + w.first);
  w = weakHash32(s + 32, z + w.second, y + fetch64(s + 16));
  std::swap(z, x);
  return hash16(hash16(v.first, w.first, mul) + mixShift(y) * k0 + z,
                hash16(v.second, w.second, mul) + x, mul);
}

} // namespace graphc::runtime
