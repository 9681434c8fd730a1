// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a pass reads the rows of several files, before a buffer
// shuffles them.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_FILEORDER_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_FILEORDER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphc::runtime {

/// Order of the files and of the rows of each.
struct FileReading {
  std::vector<int64_t> ends; ///< rows up to the end of each file, in order
  bool isShuffled = false;   ///< each pass has the files in another order
  int64_t cycleLength = 1;   ///< files that are read side by side,
  int64_t blockLength = 1;   ///< so many rows of each in turn
};

/// Gives each row of all files once per pass, in the order of tf.data's
/// interleave: `cycleLength` files are open, `blockLength` rows are taken of
/// each in turn, and a file that ends makes place for the next one. A function
/// of the arguments and the pass.
class FileOrder {
public:
  FileOrder(FileReading reading, uint64_t key);

  int64_t rows() const { return end; }
  void startPass(uint64_t pass);
  /// REQUIRES: the pass has rows left. Allocates nothing.
  int64_t next() { return isPlain ? plainNext++ : nextOfCycle(); }

private:
  struct Open {
    int64_t next = 0, end = 0;
  };

  int64_t nextOfCycle();
  void turn() {
    inBlock = 0;
    if (++at == cycle.size())
      at = 0;
  }

  FileReading reading;
  uint64_t key;
  int64_t end;                 ///< of all rows
  bool isPlain;                ///< one row after the other
  int64_t plainNext = 0;       ///< where isPlain
  std::vector<uint32_t> files; ///< in the order of the pass
  size_t opened = 0;           ///< of `files`
  std::vector<Open> cycle;
  size_t at = 0;       ///< in the cycle
  int64_t inBlock = 0; ///< rows that were taken of it
};

} // namespace graphc::runtime

#endif
