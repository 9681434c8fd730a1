// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/Pieces.h"

#include "runtime/data/TypeCheck.h"
#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

Status PieceBuffer::add(const protocol::Piece &piece, uint64_t most) {
  const std::string &data = piece.data();
  if (!hasPiece) {
    total = piece.total();
    hasPiece = true;
  }
  if (piece.total() > most)
    return resourceExhausted(
        quote(piece.name()) + " has " + std::to_string(piece.total()) +
        " bytes; at most " + std::to_string(most) + " are taken");
  if (piece.total() != total || piece.offset() != bytes.size() ||
      data.size() > total - bytes.size() || data.size() > kMaxPieceBytes ||
      (data.empty() && total > 0))
    return invalidArgument("a piece of " + quote(piece.name()) + " with " +
                           std::to_string(data.size()) + " bytes at " +
                           std::to_string(piece.offset()) + " of " +
                           std::to_string(piece.total()) +
                           " does not continue the " +
                           std::to_string(bytes.size()) + " bytes before it");
  auto begin = reinterpret_cast<const std::byte *>(data.data());
  bytes.insert(bytes.end(), begin, begin + data.size());
  return Status::ok();
}

void cutIntoPieces(
    std::string_view name, const TensorType *type,
    std::span<const std::byte> bytes,
    const std::function<void(protocol::Piece piece, bool isLast)> &emit) {
  size_t offset = 0;
  do {
    size_t size = std::min(kMaxPieceBytes, bytes.size() - offset);
    protocol::Piece piece;
    piece.set_name(std::string(name));
    if (type) {
      piece.set_dtype(static_cast<uint32_t>(type->dtype));
      for (int64_t dimension : type->shape)
        piece.add_shape(dimension);
    }
    piece.set_offset(offset);
    piece.set_total(bytes.size());
    piece.set_data(reinterpret_cast<const char *>(bytes.data()) + offset, size);
    offset += size;
    emit(std::move(piece), offset == bytes.size());
  } while (offset < bytes.size());
}

StatusOr<TensorType> typeOf(const protocol::Piece &piece) {
  if (piece.dtype() > static_cast<uint32_t>(kLastDType) ||
      piece.shape_size() > 32)
    return invalidArgument("the type of " + quote(piece.name()) +
                           " is not one of this version");
  TensorType type{static_cast<DType>(piece.dtype()),
                  {piece.shape().begin(), piece.shape().end()}};
  if (!checkedNumBytes(type))
    return invalidArgument("the shape of " + quote(piece.name()) +
                           " is not one of a tensor");
  return type;
}

} // namespace graphc::runtime
