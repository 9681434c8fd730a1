// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/pipeline/CounterRandom.h"

namespace graphc::runtime {

namespace {
constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;
} // namespace

uint64_t mixBits(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t keyOfSeeds(uint64_t seed, uint64_t runSeed) {
  return mixBits(mixBits(seed + kGoldenGamma) ^ runSeed);
}

uint64_t CounterRandom::next() { return mixBits(state += kGoldenGamma); }

uint64_t CounterRandom::below(uint64_t bound) {
  // The low values of the last, incomplete round of `bound` would come too
  // often: draw again. That needs two draws at most half of the time.
  uint64_t excess = (0 - bound) % bound;
  uint64_t value = next();
  while (value < excess)
    value = next();
  return value % bound;
}

float CounterRandom::uniform(float low, float high) {
  float part = static_cast<float>(next() >> 40) * 0x1p-24f;
  return low + part * (high - low);
}

} // namespace graphc::runtime
