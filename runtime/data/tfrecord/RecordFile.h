// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of a TFRecord file, found by their numbers.
#ifndef GRAPHC_RUNTIME_DATA_TFRECORD_RECORDFILE_H
#define GRAPHC_RUNTIME_DATA_TFRECORD_RECORDFILE_H

#include "runtime/base/Status.h"
#include "runtime/data/File.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// A file that stays on disk, but for 4 bytes per record; one that is packed by
/// gzip or zlib is unpacked into memory. Thread-safety: const calls may run at
/// the same time.
class RecordFile {
public:
  /// Walks over the lengths of all records. DATA_LOSS for a wrong CRC of a
  /// length and for a record that is cut, with its number and offset.
  /// Where the file does not stay open, each read() opens it.
  static StatusOr<RecordFile> open(const std::string &path, bool stays = true);

  const std::string &path() const { return name; }
  int64_t records() const { return static_cast<int64_t>(lengths.size()); }

  /// The data of record `number`, in `buffer`, which grows where it must.
  /// DATA_LOSS where the CRC of the data is wrong, or the file became shorter.
  StatusOr<std::span<const std::byte>>
  read(int64_t number, std::vector<std::byte> &buffer) const;

  /// "record 17 of 'x.tfrecord' (offset 15300)", numbers from 0.
  std::string placeOf(int64_t number) const;

private:
  explicit RecordFile(std::string path) : name(std::move(path)) {}
  Status index();
  Status readBytes(uint64_t offset, std::span<std::byte> to) const;
  uint64_t size() const { return fileSize; }
  uint64_t offsetOf(int64_t number) const;
  Status damaged(int64_t number, uint64_t offset,
                 const std::string &what) const;

  std::string name;
  std::optional<InputFile> file;
  std::vector<std::byte> bytes; ///< of what was packed
  bool isOnDisk = false;
  uint64_t fileSize = 0;         ///< unpacked
  std::vector<uint32_t> lengths; ///< of the data, by record
  std::vector<uint64_t> starts;  ///< offset of each 64th record
};

/// True when a file that begins so, unpacked, has a record first.
bool beginsAsRecord(std::span<const std::byte> head);

} // namespace graphc::runtime

#endif
