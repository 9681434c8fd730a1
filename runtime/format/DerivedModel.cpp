// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/DerivedModel.h"

#include "runtime/format/FileHeader.h"

#include <algorithm>

namespace graphc::runtime {

/// Blobs are the same bytes or have none in common.
format::Blob BlobMover::move(const format::Blob &blob) {
  if (blob.size() == 0)
    return format::Blob(next, 0);
  auto [known, isNew] =
      places.try_emplace(blob.offset(), format::Blob(next, blob.size()));
  if (isNew) {
    next = format::alignUp(next + blob.size());
    list.push_back({blob, known->second});
  }
  return known->second;
}

std::vector<std::byte> deriveModel(const Model &model,
                                   const WriteIndex &write) {
  // Offsets have a fixed width, so a first pass finds the index's size.
  flatbuffers::FlatBufferBuilder sizes;
  BlobMover counted(0);
  write(sizes, counted);
  uint64_t indexSize = format::alignUp(sizes.GetSize());

  flatbuffers::FlatBufferBuilder index;
  BlobMover blobs(sizeof(format::FileHeader) + indexSize);
  write(index, blobs);
  std::vector<std::byte> file(blobs.end());
  std::copy_n(reinterpret_cast<const std::byte *>(index.GetBufferPointer()),
              index.GetSize(), file.begin() + sizeof(format::FileHeader));
  for (const BlobMover::Moved &blob : blobs.moved())
    std::ranges::copy(model.blob(blob.from), file.begin() + blob.to.offset());
  format::sealFile(file, indexSize);
  return file;
}

} // namespace graphc::runtime
