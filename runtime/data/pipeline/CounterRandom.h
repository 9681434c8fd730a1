// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are counted: a function of a key and their number.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_COUNTERRANDOM_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_COUNTERRANDOM_H

#include <cstdint>

namespace graphc::runtime {

/// The output function of SplitMix64: a bijection that mixes all bits.
uint64_t mixBits(uint64_t value);

/// The key of a dataset's random numbers. Mixed one after the other, so that
/// exchanging or adding to both seeds gives other numbers.
uint64_t keyOfSeeds(uint64_t seed, uint64_t runSeed);

/// A counter-based stream of random numbers (SplitMix64): number i of a key is
/// a function of both, the same on every machine.
class CounterRandom {
public:
  explicit CounterRandom(uint64_t key) : state(key) {}

  uint64_t next();
  /// A number in [0, bound), each equally likely. REQUIRES: bound > 0.
  uint64_t below(uint64_t bound);
  /// A multiple of 2^-24 in [low, high). REQUIRES: low <= high.
  float uniform(float low, float high);

private:
  uint64_t state;
};

} // namespace graphc::runtime

#endif
