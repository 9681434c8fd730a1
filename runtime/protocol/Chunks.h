// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of any size as chunks of bounded size.
#ifndef GRAPHC_RUNTIME_PROTOCOL_CHUNKS_H
#define GRAPHC_RUNTIME_PROTOCOL_CHUNKS_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/protocol/cluster.pb.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

inline constexpr size_t kMaxChunkBytes = 1 << 20;

/// Puts the chunks of one value together. It never holds more than what has
/// come, whatever total a sender gives. Thread-safety: one call at a
/// time.
class ChunkBuffer {
public:
  /// INVALID_ARGUMENT for a gap, an overlap or totals that differ,
  /// RESOURCE_EXHAUSTED for more than `most` bytes.
  Status add(const protocol::Chunk &chunk, uint64_t most);

  bool isComplete() const { return hasChunk && bytes.size() == total; }
  size_t size() const { return bytes.size(); }
  std::vector<std::byte> take() { return std::move(bytes); }

private:
  std::vector<std::byte> bytes;
  uint64_t total = 0;
  bool hasChunk = false;
};

/// Calls `emit` for each chunk of a value, at least once.
void splitIntoChunks(
    std::string_view name, const TensorType *type,
    std::span<const std::byte> bytes,
    const std::function<void(protocol::Chunk chunk, bool isLast)> &emit);

/// The type that a chunk states; INVALID_ARGUMENT where it is none.
StatusOr<TensorType> typeOf(const protocol::Chunk &chunk);

} // namespace graphc::runtime

#endif
