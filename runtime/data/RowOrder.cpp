// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/RowOrder.h"

#include <algorithm>
#include <numeric>

namespace graphc::runtime {

namespace {

constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

/// The output function of SplitMix64: a bijection that mixes all bits.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

} // namespace

uint64_t CounterRandom::next() { return mix(state += kGoldenGamma); }

uint64_t CounterRandom::below(uint64_t bound) {
  // The low values of the last, incomplete round of `bound` would come too
  // often: draw again. That needs two draws at most half of the time.
  uint64_t excess = (0 - bound) % bound;
  uint64_t value = next();
  while (value < excess)
    value = next();
  return value % bound;
}

RowOrder::RowOrder(int64_t rows, int64_t shuffleBuffer, uint64_t seed,
                   uint64_t runSeed)
    : rows(rows),
      // Mixed one after the other, so that exchanging or adding to both seeds
      // gives other orders.
      key(mix(mix(seed + kGoldenGamma) ^ runSeed)), random(key),
      buffer(static_cast<size_t>(
          std::clamp<int64_t>(shuffleBuffer, 1, std::max<int64_t>(rows, 1)))) {}

void RowOrder::startPass(uint64_t pass) {
  random = CounterRandom(mix(key ^ mix(pass)));
  held = std::min(buffer.size(), static_cast<size_t>(rows));
  entering = static_cast<int64_t>(held);
  std::iota(buffer.begin(), buffer.begin() + held, int64_t{0});
}

int64_t RowOrder::next() {
  size_t index = held > 1 ? random.below(held) : 0;
  int64_t row = buffer[index];
  // The drawn row's place is taken by the next of the file, or, at its end, by
  // the last of the buffer. With all rows in the buffer this is the
  // Fisher-Yates shuffle.
  buffer[index] = entering < rows ? entering++ : buffer[--held];
  return row;
}

} // namespace graphc::runtime
