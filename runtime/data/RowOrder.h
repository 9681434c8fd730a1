// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a pass over a dataset visits its rows.
#ifndef GRAPHC_RUNTIME_DATA_ROWORDER_H
#define GRAPHC_RUNTIME_DATA_ROWORDER_H

#include "runtime/data/pipeline/CounterRandom.h"
#include "runtime/data/pipeline/FileOrder.h"

namespace graphc::runtime {

/// Draws the rows 0 .. rows-1, each once per pass, from a buffer that holds the
/// next `shuffleBuffer` rows of the file: 0 or 1 keeps the file's order, `rows`
/// or more makes every permutation equally likely. The order is a function of
/// the constructor's arguments and the pass.
///
/// With `minAfterDequeue` from 0 to below `shuffleBuffer` the buffer is a queue
/// of that capacity as TensorFlow's RandomShuffleQueue, of which so many rows
/// must be left after a draw: it is filled whenever a further draw would leave
/// fewer. With -1 it is filled after each draw.
class RowOrder {
public:
  RowOrder(int64_t rows, int64_t shuffleBuffer, uint64_t seed, uint64_t runSeed)
      : RowOrder(FileReading{{rows}}, shuffleBuffer, -1,
                 keyOfSeeds(seed, runSeed)) {}
  RowOrder(FileReading files, int64_t shuffleBuffer, int64_t minAfterDequeue,
           uint64_t key);

  /// Begins pass number `pass`.
  void startPass(uint64_t pass);

  /// The next row. REQUIRES: startPass was called, and not all rows of the pass
  /// were drawn. Allocates nothing.
  int64_t next();

private:
  void fill();

  FileOrder files;
  uint64_t key;
  int64_t minAfterDequeue;
  CounterRandom random;
  int64_t entered = 0;         ///< rows of the pass that were in the buffer
  size_t held = 0;             ///< rows in the buffer now
  std::vector<int64_t> buffer; ///< its first `held` are valid
};

} // namespace graphc::runtime

#endif
