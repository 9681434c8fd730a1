// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of any size as pieces of bounded size.
#ifndef GRAPHC_RUNTIME_PROTOCOL_PIECES_H
#define GRAPHC_RUNTIME_PROTOCOL_PIECES_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"
#include "runtime/protocol/cluster.pb.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace graphc::runtime {

inline constexpr size_t kMaxPieceBytes = 1 << 20;

/// Puts the pieces of one value together. It never holds more than what has
/// come, whatever a sender says about the total. Thread-safety: one call at a
/// time.
class PieceBuffer {
public:
  /// INVALID_ARGUMENT for a gap, an overlap or totals that differ,
  /// RESOURCE_EXHAUSTED for more than `most` bytes.
  Status add(const protocol::Piece &piece, uint64_t most);

  bool isComplete() const { return hasPiece && bytes.size() == total; }
  size_t size() const { return bytes.size(); }
  std::vector<std::byte> take() { return std::move(bytes); }

private:
  std::vector<std::byte> bytes;
  uint64_t total = 0;
  bool hasPiece = false;
};

/// Calls `emit` for each piece of a value, at least once.
void cutIntoPieces(
    std::string_view name, const TensorType *type,
    std::span<const std::byte> bytes,
    const std::function<void(protocol::Piece piece, bool isLast)> &emit);

/// The type that a piece states; INVALID_ARGUMENT where it is none.
StatusOr<TensorType> typeOf(const protocol::Piece &piece);

} // namespace graphc::runtime

#endif
