// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/BlobArea.h"

#include "runtime/format/FileHeader.h"

namespace graphc {

format::Blob BlobArea::add(llvm::ArrayRef<char> bytes) {
  area.resize(format::alignUp(area.size()));
  format::Blob blob(base + area.size(), bytes.size());
  area.insert(area.end(), bytes.begin(), bytes.end());
  return blob;
}

void BlobArea::restart(uint64_t newBase) {
  area.clear();
  base = newBase;
}

} // namespace graphc
