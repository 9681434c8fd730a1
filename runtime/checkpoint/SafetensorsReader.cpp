// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/SafetensorsReader.h"

#include "runtime/checkpoint/TensorHash.h"

#include <algorithm>
#include <optional>

namespace graphc::runtime {

namespace {

/// Bytes that are read and then looked at while the cache has them.
constexpr size_t kChunk = size_t{1} << 19;

} // namespace

SafetensorsReader::SafetensorsReader(std::string path, InputFile file,
                                     SafetensorsHeader header)
    : path(std::move(path)), file(std::move(file)), header(std::move(header)) {
  for (const SafetensorsEntry &entry : this->header.entries)
    types.push_back({entry.name, entry.type});
}

StatusOr<std::unique_ptr<SafetensorsReader>>
SafetensorsReader::open(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  GRAPHC_ASSIGN_OR_RETURN(SafetensorsHeader header,
                          readSafetensorsHeader(file, path));
  return std::unique_ptr<SafetensorsReader>(
      new SafetensorsReader(path, std::move(file), std::move(header)));
}

Status
SafetensorsReader::read(size_t entry,
                        std::span<const std::span<std::byte>> parts) const {
  const NamedType &named = types[entry];
  auto digest = expected.find(named.name);
  std::optional<TensorHash> hash;
  if (digest != expected.end()) {
    GRAPHC_ASSIGN_OR_RETURN(hash, TensorHash::begin());
  }
  bool isBool = named.type.dtype == DType::Bool;
  uint64_t offset = header.dataStart + header.entries[entry].begin;
  for (std::span<std::byte> part : parts) {
    while (!part.empty()) {
      std::span<std::byte> chunk = part.first(std::min(kChunk, part.size()));
      GRAPHC_TRY(file.readAt(offset, chunk));
      if (hash)
        hash->update(chunk);
      if (isBool && std::ranges::any_of(
                        chunk, [](std::byte b) { return b > std::byte{1}; }))
        return dataLoss("tensor '" + named.name + "' of '" + path +
                        "' has another byte; only 0 and 1 are bools");
      offset += chunk.size();
      part = part.subspan(chunk.size());
    }
  }
  if (!hash || hash->digest() == digest->second)
    return Status::ok();
  return dataLoss("tensor '" + named.name + "' of '" + path +
                  "' has other bytes than were written; copy the checkpoint "
                  "again or use another one");
}

} // namespace graphc::runtime
