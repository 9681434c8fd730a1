// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bounds of a file's blobs, and the insides of string constants.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_BLOBVERIFIER_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_BLOBVERIFIER_H

#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

#include <cstddef>
#include <map>
#include <span>

namespace graphc::runtime {

/// Checks blobs of one file one by one and remembers them, so that two blobs
/// are the same bytes or have none in common.
/// Thread-safety: one thread.
class BlobVerifier {
public:
  /// `indexEnd` is the first byte that a blob may occupy.
  BlobVerifier(std::span<const std::byte> file, uint64_t indexEnd)
      : file(file), indexEnd(indexEnd) {}

  /// Fails unless the blob is there, aligned, inside the file behind the index
  /// and not partly shared with another one.
  Status check(const format::Blob *blob);

  /// check(), and that the blob is a table of `count` strings: the count, count
  /// + 1 ascending offsets, the bytes.
  Status checkStrings(const format::Blob *blob, uint64_t count);

private:
  std::span<const std::byte> file;
  uint64_t indexEnd;
  std::map<uint64_t, uint64_t> seen;    ///< offset -> size, none of size 0
  std::map<uint64_t, uint64_t> strings; ///< offset -> count, already checked
};

} // namespace graphc::runtime

#endif
