// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes after the index of a model.bin.
#ifndef GRAPHC_LIB_PACKAGE_BLOBAREA_H
#define GRAPHC_LIB_PACKAGE_BLOBAREA_H

#include "runtime/format/model_generated.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <map>
#include <vector>

namespace graphc {

/// Collects blobs. Their offsets in the file depend on the size of the index,
/// which holds the offsets: so blobs are counted from the start of the area
/// first, and the index is written a second time with `base` set.
class BlobArea {
public:
  /// Adds a blob at the next multiple of 64; equal ones are there once.
  format::Blob add(llvm::ArrayRef<char> bytes);

  /// Forgets the blobs; the next ones are counted from `base` on.
  void restart(uint64_t base);

  const std::vector<char> &bytes() const { return area; }

private:
  std::vector<char> area;
  std::map<std::array<uint64_t, 2>, size_t> places; ///< by digest
  uint64_t base = 0;
};

} // namespace graphc

#endif
