// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a pass over a dataset visits its rows.
#ifndef GRAPHC_RUNTIME_DATA_ROWORDER_H
#define GRAPHC_RUNTIME_DATA_ROWORDER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphc::runtime {

/// A counter-based stream of random numbers (SplitMix64): number i of a key is
/// a function of both, the same on every machine.
class CounterRandom {
public:
  explicit CounterRandom(uint64_t key) : state(key) {}

  uint64_t next();
  /// A number in [0, bound), each equally likely. REQUIRES: bound > 0.
  uint64_t below(uint64_t bound);

private:
  uint64_t state;
};

/// Draws the rows 0 .. rows-1, each once per pass, from a buffer that holds the
/// next `shuffleBuffer` rows of the file: 0 or 1 keeps the file's order, `rows`
/// or more makes every permutation equally likely. The order is a function of
/// the constructor's arguments and the pass.
class RowOrder {
public:
  RowOrder(int64_t rows, int64_t shuffleBuffer, uint64_t seed,
           uint64_t runSeed);

  /// Begins pass number `pass`.
  void startPass(uint64_t pass);

  /// The next row. REQUIRES: startPass was called, and not all rows of the pass
  /// were drawn. Allocates nothing.
  int64_t next();

private:
  int64_t rows;
  uint64_t key;
  CounterRandom random;
  int64_t entering = 0;        ///< the first row that was not in the buffer yet
  size_t held = 0;             ///< rows in the buffer now
  std::vector<int64_t> buffer; ///< its first `held` are valid
};

} // namespace graphc::runtime

#endif
