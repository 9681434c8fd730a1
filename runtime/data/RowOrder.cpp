// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/RowOrder.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr uint64_t kOfFiles = 0x66696c65; ///< keeps their order's key apart
} // namespace

RowOrder::RowOrder(FileReading reading, int64_t shuffleBuffer,
                   int64_t minAfterDequeue, uint64_t key)
    : files(std::move(reading), mixBits(key ^ kOfFiles)), key(key),
      minAfterDequeue(minAfterDequeue), random(key),
      buffer(static_cast<size_t>(std::clamp<int64_t>(
          shuffleBuffer, 1, std::max<int64_t>(files.rows(), 1)))) {}

void RowOrder::startPass(uint64_t pass) {
  random = CounterRandom(mixBits(key ^ mixBits(pass)));
  files.startPass(pass);
  held = 0;
  entered = 0;
  fill();
}

void RowOrder::fill() {
  for (; held < buffer.size() && entered < files.rows(); ++entered)
    buffer[held++] = files.next();
}

int64_t RowOrder::next() {
  size_t index = held > 1 ? random.below(held) : 0;
  int64_t row = buffer[index];
  // The drawn row's place is taken by the next of the files, or, at their end,
  // by the last of the buffer. With all rows in the buffer this is the
  // Fisher-Yates shuffle.
  if (minAfterDequeue < 0 && entered < files.rows()) {
    buffer[index] = files.next();
    ++entered;
    return row;
  }
  buffer[index] = buffer[--held];
  if (static_cast<int64_t>(held) <= minAfterDequeue || held == 0)
    fill();
  return row;
}

} // namespace graphc::runtime
