// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches in two halves: what is in the next one, and its bytes.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_BATCHSTREAM_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_BATCHSTREAM_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// A batch that was drawn.
struct DrawnBatch {
  uint64_t pass = 0;
  std::vector<int64_t> rows; ///< -1: filled up
};

/// A stream whose order is settled by one caller, and whose bytes any thread
/// makes.
class BatchStream {
public:
  virtual ~BatchStream() = default;

  /// Draws the next batch; OUT_OF_RANGE at the end of the data. Allocates
  /// nothing where `batch` had one before. Thread-safety: one caller at a time.
  virtual Status draw(DrawnBatch &batch) = 0;

  /// Writes rows [begin, end) of a batch; fields[i] points to where the first
  /// of them goes. Thread-safety: any thread.
  virtual Status make(const DrawnBatch &batch, size_t begin, size_t end,
                      std::span<std::byte *const> fields) const = 0;

  /// As of DataSource; nothing is drawn or made meanwhile.
  virtual Status rewind(uint64_t batches) = 0;

  /// As of DataSource.
  virtual int64_t examples() const = 0;
  virtual int64_t batchesPerEpoch() const = 0;
  virtual int64_t droppedPerEpoch() const = 0;
};

} // namespace graphc::runtime

#endif
