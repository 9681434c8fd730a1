// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/tfrecord/RecordFile.h"

#include "runtime/data/archive/Inflate.h"
#include "runtime/data/tfrecord/RecordFrame.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

constexpr int64_t kStride = 64;                ///< records per start
constexpr size_t kWalkBytes = size_t{1} << 17; ///< read at once for lengths
constexpr size_t kPage = 4096;

} // namespace

bool beginsAsRecord(std::span<const std::byte> head) {
  uint64_t length = 0;
  return head.size() >= kRecordHeader &&
         readRecordHeader(head.first<kRecordHeader>(), length);
}

StatusOr<RecordFile> RecordFile::open(const std::string &path, bool stays) {
  RecordFile records(path);
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  records.fileSize = file.size();
  std::vector<std::byte> head(std::min<uint64_t>(file.size(), 4096));
  GRAPHC_TRY(file.readAt(0, head));
  // The CRC of a length tells a record from what the two bytes of zlib's
  // streams are in others.
  bool isPacked = isGzip(head) || (isZlib(head) && !beginsAsRecord(head));
  if (isPacked) {
    auto wrapping = isGzip(head) ? Wrapping::Gzip : Wrapping::Zlib;
    GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> packed, readFileBytes(path));
    GRAPHC_ASSIGN_OR_RETURN(records.bytes,
                            inflateBytes(packed, wrapping, UINT64_MAX, path));
    records.fileSize = records.bytes.size();
  } else {
    records.file = std::move(file);
  }
  GRAPHC_TRY(records.index());
  records.isOnDisk = !isPacked;
  if (!stays)
    records.file.reset();
  return records;
}

Status RecordFile::damaged(int64_t number, uint64_t offset,
                           const std::string &what) const {
  return dataLoss("record " + std::to_string(number) + " of '" + name +
                  "' (offset " + std::to_string(offset) + ") " + what +
                  "; copy the file again, or write it anew");
}

Status RecordFile::readBytes(uint64_t offset, std::span<std::byte> to) const {
  if (file)
    return file->readAt(offset, to);
  if (isOnDisk) {
    GRAPHC_ASSIGN_OR_RETURN(InputFile again, InputFile::open(name));
    return again.readAt(offset, to);
  }
  std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(offset), to.size(),
              to.begin());
  return Status::ok();
}

Status RecordFile::index() {
  std::vector<std::byte> window;
  uint64_t windowAt = 0, at = 0, end = size();
  while (at < end) {
    int64_t number = records();
    if (end - at < kRecordHeader)
      return damaged(number, at, "is cut: its length is not whole");
    if (at < windowAt || at + kRecordHeader > windowAt + window.size()) {
      // Of long records a page each is read, not the whole file.
      bool isDense = at <= windowAt + window.size() + kPage;
      window.resize(std::min<uint64_t>(end - at, isDense ? kWalkBytes : kPage));
      GRAPHC_TRY(readBytes(at, window));
      windowAt = at;
    }
    uint64_t length = 0;
    auto header = std::span<const std::byte>(window).subspan(at - windowAt);
    if (!readRecordHeader(header.first<kRecordHeader>(), length))
      return damaged(number, at, "has a wrong CRC of its length");
    if (length > end - at - kRecordHeader ||
        end - at - kRecordHeader - length < kRecordFooter)
      return damaged(number, at,
                     "is cut: it has " + std::to_string(length) +
                         " bytes, and the file ends before");
    if (length > UINT32_MAX)
      return damaged(number, at, "has 4 GiB or more, which is not read");
    if (number % kStride == 0)
      starts.push_back(at);
    lengths.push_back(static_cast<uint32_t>(length));
    at += kRecordHeader + length + kRecordFooter;
  }
  return Status::ok();
}

uint64_t RecordFile::offsetOf(int64_t number) const {
  uint64_t offset = starts[static_cast<size_t>(number / kStride)];
  for (int64_t i = number / kStride * kStride; i < number; ++i)
    offset += kRecordHeader + lengths[static_cast<size_t>(i)] + kRecordFooter;
  return offset;
}

std::string RecordFile::placeOf(int64_t number) const {
  return "record " + std::to_string(number) + " of '" + name + "' (offset " +
         std::to_string(offsetOf(number)) + ")";
}

StatusOr<std::span<const std::byte>>
RecordFile::read(int64_t number, std::vector<std::byte> &buffer) const {
  uint64_t offset = offsetOf(number);
  size_t length = lengths[static_cast<size_t>(number)];
  size_t whole = length + kRecordFooter;
  std::span<const std::byte> record;
  if (isOnDisk) {
    if (buffer.size() < whole)
      GRAPHC_TRY(resizeBytes(buffer, whole, name));
    Status status =
        readBytes(offset + kRecordHeader, std::span(buffer).first(whole));
    if (!status.isOk())
      return damaged(number, offset, "cannot be read: " + status.message());
    record = std::span<const std::byte>(buffer).first(whole);
  } else {
    record = std::span(bytes).subspan(offset + kRecordHeader, whole);
  }
  auto data = record.first(length);
  auto footer = recordFooter(data);
  if (!std::equal(footer.begin(), footer.end(), record.begin() + length))
    return damaged(number, offset, "has a wrong CRC of its data");
  return data;
}

} // namespace graphc::runtime
