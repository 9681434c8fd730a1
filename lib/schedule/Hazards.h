// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the earlier instructions that an instruction must wait for.
#ifndef GRAPHC_LIB_SCHEDULE_HAZARDS_H
#define GRAPHC_LIB_SCHEDULE_HAZARDS_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <map>
#include <set>

namespace graphc {

/// Follows who wrote and who read each byte of an address space, in the order
/// of the instructions. A write waits for earlier readers and writers, a read
/// for the writer: the dependencies of values, and those that reuse of memory
/// adds.
class Hazards {
public:
  /// Instruction `instruction` uses [begin, end); adds what it waits for.
  void use(int64_t begin, int64_t end, int64_t instruction, bool writes,
           std::set<int64_t> &waits);

private:
  struct Piece {
    int64_t end;
    int64_t writer = -1;
    llvm::SmallVector<int64_t, 2> readers;
  };
  /// Makes `at` a border between two pieces.
  void splitAt(int64_t at);

  std::map<int64_t, Piece> pieces; ///< by their first byte
};

} // namespace graphc

#endif
