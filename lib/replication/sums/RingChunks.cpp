// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/sums/RingChunks.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace graphc {

/// Elements in whole vectors of kernels and in 64 bytes; in chunks that begin
/// at such; and how many of the former a chunk of rows has at least.
static constexpr int64_t kChunkGrain = 64;
static constexpr int64_t kAlignedChunk = 16384;
static constexpr int64_t kGrainsPerChunk = 16;

/// Rows at which a chunk may begin: those before it are whole vectors of
/// kernels and multiples of 64 bytes. Any, if chunks are small and would differ
/// much.
static int64_t rowGrain(RankedTensorType type, int64_t count) {
  if (type.getNumElements() < count * kAlignedChunk)
    return 1;
  int64_t row = type.getNumElements() / type.getDimSize(0);
  return kChunkGrain / std::gcd(kChunkGrain, row);
}

bool canCutRows(RankedTensorType type, size_t devices) {
  int64_t count = static_cast<int64_t>(devices);
  return type.getRank() > 0 && type.getNumElements() >= count * kAlignedChunk &&
         type.getDimSize(0) >= kGrainsPerChunk * rowGrain(type, count) * count;
}

SmallVector<int64_t> chunkSizes(RankedTensorType type, size_t devices) {
  int64_t count = static_cast<int64_t>(devices);
  int64_t rows = type.getDimSize(0), grain = rowGrain(type, count);
  int64_t grains = llvm::divideCeil(rows, grain);
  SmallVector<int64_t> sizes;
  for (int64_t c = 0; c < count; ++c) {
    int64_t size = (grains / count + (c < grains % count ? 1 : 0)) * grain;
    sizes.push_back(std::min(size, rows));
    rows -= sizes.back();
  }
  return sizes;
}

SmallVector<int64_t> shardSizes(RankedTensorType type, size_t devices) {
  if (canCutRows(type, devices))
    return chunkSizes(type, devices);
  int64_t rows = type.getDimSize(0);
  int64_t count = std::min(rows, static_cast<int64_t>(devices));
  SmallVector<int64_t> sizes;
  for (int64_t shard = 0; shard < count; ++shard)
    sizes.push_back(rows / count + (shard < rows % count));
  return sizes;
}

} // namespace graphc
