// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/pipeline/MicroBatchTurns.h"

namespace graphc {

int64_t MicroBatchTurns::of(int64_t place, int64_t microBatch) const {
  // GPipe: all forward passes first. 1F1B: as many as it takes until the first
  // micro-batch is back, so that no stage keeps activations of more.
  int64_t ahead = microBatches;
  if (pipeline.isOneFOneB)
    ahead = std::min(microBatches, pipeline.stages - stageOf(place));
  if (!isBackward(place))
    return microBatch < ahead ? microBatch : 2 * microBatch - ahead + 1;
  return microBatch + std::min(microBatch + ahead, microBatches);
}

} // namespace graphc
