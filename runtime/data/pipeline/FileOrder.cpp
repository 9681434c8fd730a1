// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/pipeline/FileOrder.h"

#include "runtime/data/pipeline/CounterRandom.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace graphc::runtime {

FileOrder::FileOrder(FileReading asked, uint64_t key)
    : reading(std::move(asked)), key(key),
      end(reading.ends.empty() ? 0 : reading.ends.back()),
      isPlain(reading.ends.size() <= 1 ||
              (!reading.isShuffled && reading.cycleLength <= 1)),
      files(reading.ends.size()) {
  if (!isPlain)
    cycle.resize(std::min(files.size(), static_cast<size_t>(std::max<int64_t>(
                                            reading.cycleLength, 1))));
}

void FileOrder::startPass(uint64_t pass) {
  plainNext = 0;
  if (isPlain)
    return;
  std::iota(files.begin(), files.end(), 0);
  if (reading.isShuffled) {
    CounterRandom random(mixBits(key ^ mixBits(pass)));
    for (size_t left = files.size(); left > 1; --left)
      std::swap(files[left - 1], files[random.below(left)]);
  }
  std::fill(cycle.begin(), cycle.end(), Open{});
  opened = at = 0;
  inBlock = 0;
}

int64_t FileOrder::nextOfCycle() {
  // Ends: the caller asks for no more rows than there are.
  for (;;) {
    Open &open = cycle[at];
    if (open.next < open.end) {
      int64_t row = open.next++;
      if (++inBlock >= reading.blockLength)
        turn();
      return row;
    }
    if (open.end > 0) { // it has ended, and its turn with it
      open = {};
      turn();
    } else if (opened < files.size()) {
      uint32_t file = files[opened++];
      open = {file == 0 ? 0 : reading.ends[file - 1], reading.ends[file]};
    } else {
      turn();
    }
  }
}

} // namespace graphc::runtime
