// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds of blobs, tables of strings.
#include "runtime/format/verify/BlobVerifier.h"

#include "runtime/format/FileHeader.h"

#include <cstring>

namespace graphc::runtime {

namespace {
std::string textOf(const format::Blob &blob) {
  return "the blob of " + std::to_string(blob.size()) + " bytes at " +
         std::to_string(blob.offset());
}

uint64_t readNumber(const std::byte *bytes) {
  uint64_t number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}
} // namespace

Status BlobVerifier::check(const format::Blob *blob) {
  if (!blob)
    return dataLoss("its blob is missing");
  uint64_t begin = blob->offset(), size = blob->size();
  if (begin % format::kAlignment != 0)
    return dataLoss(textOf(*blob) + " is not aligned to " +
                    std::to_string(format::kAlignment) + " bytes");
  if (begin < indexEnd)
    return dataLoss(textOf(*blob) + " lies in the header or the index");
  if (begin > file.size() || size > file.size() - begin)
    return dataLoss(textOf(*blob) + " ends after the file's end");
  if (size == 0)
    return Status::ok();
  auto next = seen.lower_bound(begin);
  if (next != seen.end() && next->first == begin && next->second == size)
    return Status::ok();
  bool hitsNext = next != seen.end() && next->first < begin + size;
  bool hitsPrevious = false;
  if (next != seen.begin()) {
    auto previous = std::prev(next);
    hitsPrevious = previous->first + previous->second > begin;
  }
  if (hitsNext || hitsPrevious)
    return dataLoss(textOf(*blob) + " overlaps another blob");
  seen.emplace(begin, size);
  return Status::ok();
}

Status BlobVerifier::checkStrings(const format::Blob *blob, uint64_t count) {
  GRAPHC_TRY(check(blob));
  uint64_t size = blob->size();
  // count + 2 numbers; the division keeps a huge count from wrapping around.
  if (count > size / 8 || (count + 2) * 8 > size)
    return dataLoss("its table of " + std::to_string(count) +
                    " strings does not fit into " + textOf(*blob));
  auto known = strings.find(blob->offset());
  if (known != strings.end() && known->second == count)
    return Status::ok();
  const std::byte *bytes = file.data() + blob->offset();
  if (readNumber(bytes) != count)
    return dataLoss("its table holds " + std::to_string(readNumber(bytes)) +
                    " strings where the type asks for " +
                    std::to_string(count));
  uint64_t last = (count + 2) * 8;
  for (uint64_t i = 0; i <= count; ++i) {
    uint64_t offset = readNumber(bytes + 8 + 8 * i);
    if (offset < last || offset > size)
      return dataLoss("offset " + std::to_string(i) +
                      " of its table of strings is out of order or outside of "
                      "the blob");
    last = offset;
  }
  strings[blob->offset()] = count;
  return Status::ok();
}

} // namespace graphc::runtime
