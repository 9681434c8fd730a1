// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hears of batches that are made ahead of their use.
#ifndef GRAPHC_RUNTIME_DATA_BATCHOBSERVER_H
#define GRAPHC_RUNTIME_DATA_BATCHOBSERVER_H

#include <cstdint>

namespace graphc::runtime {

/// Thread-safety: called by the threads that make batches.
class BatchObserver {
public:
  virtual ~BatchObserver() = default;

  /// True where onBatch() is to be called for the batch that begins now.
  virtual bool isWanted() = 0;
  /// A batch was made; times of nowNanos().
  virtual void onBatch(int64_t beginNanos, int64_t endNanos) = 0;
};

} // namespace graphc::runtime

#endif
