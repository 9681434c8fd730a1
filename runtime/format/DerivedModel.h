// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a model.bin that is made of tables and blobs of another.
#ifndef GRAPHC_RUNTIME_FORMAT_DERIVEDMODEL_H
#define GRAPHC_RUNTIME_FORMAT_DERIVEDMODEL_H

#include "runtime/format/Model.h"

#include <functional>
#include <map>
#include <vector>

namespace graphc::runtime {

/// Gives the blobs of one file places in another. Thread-safety: one thread.
class BlobMover {
public:
  /// The first blob comes to `start`.
  explicit BlobMover(uint64_t start) : next(start) {}

  /// Returns the blob's place in the new file; the same one is there once.
  format::Blob move(const format::Blob &blob);

  struct Moved {
    format::Blob from, to;
  };
  const std::vector<Moved> &moved() const { return list; }
  /// End of the last blob.
  uint64_t end() const { return next; }

private:
  uint64_t next;
  std::vector<Moved> list;
  std::map<uint64_t, format::Blob> places; ///< by old offset
};

/// Finishes a Model buffer; blobs that it names were moved.
using WriteIndex =
    std::function<void(flatbuffers::FlatBufferBuilder &, BlobMover &)>;

/// The file with that index and the blobs that it names. `write` is called
/// twice, since offsets of blobs depend on the size of the index.
std::vector<std::byte> deriveModel(const Model &model, const WriteIndex &write);

} // namespace graphc::runtime

#endif
