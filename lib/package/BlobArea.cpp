// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/BlobArea.h"

#include "runtime/format/FileHeader.h"

namespace graphc {

format::Blob BlobArea::add(llvm::ArrayRef<char> bytes) {
  std::array<uint64_t, 2> digest = format::digestOf(
      {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()});
  size_t next = format::alignUp(area.size());
  auto [known, isNew] = places.try_emplace(digest, next);
  if (isNew) {
    area.resize(next);
    area.insert(area.end(), bytes.begin(), bytes.end());
  }
  return format::Blob(base + known->second, bytes.size());
}

void BlobArea::restart(uint64_t newBase) {
  area.clear();
  places.clear();
  base = newBase;
}

} // namespace graphc
