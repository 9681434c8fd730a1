// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/Chunks.h"

#include "runtime/data/TypeCheck.h"
#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

Status ChunkBuffer::add(const protocol::Chunk &chunk, uint64_t most) {
  const std::string &data = chunk.data();
  if (!hasChunk) {
    total = chunk.total();
    hasChunk = true;
  }
  if (chunk.total() > most)
    return resourceExhausted(
        quote(chunk.name()) + " has " + std::to_string(chunk.total()) +
        " bytes; at most " + std::to_string(most) + " are taken");
  if (chunk.total() != total || chunk.offset() != bytes.size() ||
      data.size() > total - bytes.size() || data.size() > kMaxChunkBytes ||
      (data.empty() && total > 0))
    return invalidArgument("a chunk of " + quote(chunk.name()) + " with " +
                           std::to_string(data.size()) + " bytes at " +
                           std::to_string(chunk.offset()) + " of " +
                           std::to_string(chunk.total()) +
                           " does not continue the " +
                           std::to_string(bytes.size()) + " bytes before it");
  auto begin = reinterpret_cast<const std::byte *>(data.data());
  bytes.insert(bytes.end(), begin, begin + data.size());
  return Status::ok();
}

void splitIntoChunks(
    std::string_view name, const TensorType *type,
    std::span<const std::byte> bytes,
    const std::function<void(protocol::Chunk chunk, bool isLast)> &emit) {
  size_t offset = 0;
  do {
    size_t size = std::min(kMaxChunkBytes, bytes.size() - offset);
    protocol::Chunk chunk;
    chunk.set_name(std::string(name));
    if (type) {
      chunk.set_dtype(static_cast<uint32_t>(type->dtype));
      for (int64_t dimension : type->shape)
        chunk.add_shape(dimension);
    }
    chunk.set_offset(offset);
    chunk.set_total(bytes.size());
    chunk.set_data(reinterpret_cast<const char *>(bytes.data()) + offset, size);
    offset += size;
    emit(std::move(chunk), offset == bytes.size());
  } while (offset < bytes.size());
}

StatusOr<TensorType> typeOf(const protocol::Chunk &chunk) {
  if (chunk.dtype() > static_cast<uint32_t>(kLastDType) ||
      chunk.shape_size() > 32)
    return invalidArgument("the type of " + quote(chunk.name()) +
                           " is not one of this version");
  TensorType type{static_cast<DType>(chunk.dtype()),
                  {chunk.shape().begin(), chunk.shape().end()}};
  if (!checkedNumBytes(type))
    return invalidArgument("the shape of " + quote(chunk.name()) +
                           " is not one of a tensor");
  return type;
}

} // namespace graphc::runtime
