// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of values in one block of memory, by liveness.
#ifndef GRAPHC_LIB_SCHEDULE_PLANARENA_H
#define GRAPHC_LIB_SCHEDULE_PLANARENA_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace graphc {

/// A value that needs memory between two instructions, both included.
struct LiveRange {
  int64_t bytes;
  int64_t first, last;
  int64_t offset = 0; ///< the result of planArena
};

struct ArenaPlan {
  int64_t bytes = 0; ///< size of the arena
  int64_t live = 0;  ///< largest sum of ranges in use at one instruction
};

/// Gives each range an offset that is a multiple of 64, so that ranges that
/// live at the same time do not overlap: the largest first, each at the lowest
/// place that is free. Deterministic.
ArenaPlan planArena(llvm::MutableArrayRef<LiveRange> ranges);

} // namespace graphc

#endif
