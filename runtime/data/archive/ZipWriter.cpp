// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writing half of Zip.h.
#include "runtime/data/archive/Inflate.h"
#include "runtime/data/archive/Zip.h"

namespace graphc::runtime {

namespace {

void put(std::vector<std::byte> &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put(std::vector<std::byte> &out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// The part that a member's header and its directory entry share.
struct Common {
  bool deflated;
  uint32_t crc;
  uint64_t storedSize;
  uint64_t size;
  uint64_t nameSize;

  void putTo(std::vector<std::byte> &out) const {
    put(out, 20, 2);               // zip 2.0: deflate
    put(out, 0, 2);                // flags
    put(out, deflated ? 8 : 0, 2); // method
    put(out, 0, 2);                // 00:00
    put(out, 0x0021, 2);           // 1980-01-01, the first day that zip knows
    put(out, crc, 4);
    put(out, storedSize, 4);
    put(out, size, 4);
    put(out, nameSize, 2);
    put(out, 0, 2); // extra field
  }
};

} // namespace

Status ZipWriter::add(std::string_view name, std::span<const std::byte> bytes,
                      bool deflated) {
  std::vector<std::byte> packed;
  std::span<const std::byte> stored = bytes;
  if (deflated) {
    GRAPHC_ASSIGN_OR_RETURN(packed, deflateBytes(bytes, name));
    stored = packed;
  }
  // The directory and its end need room below the limit, too.
  uint64_t end =
      archive.size() + directory.size() + stored.size() + 2 * name.size() + 200;
  if (end > UINT32_MAX || bytes.size() > UINT32_MAX || members == UINT16_MAX ||
      name.size() > UINT16_MAX)
    return invalidArgument("'" + std::string(name.substr(0, 100)) +
                           "' does not fit: an .npz archive holds less than 4 "
                           "GiB and 65535 arrays; write a .safetensors file");
  std::span<const std::byte> nameBytes =
      std::as_bytes(std::span<const char>(name));
  Common common{deflated, crc32Of(bytes), stored.size(), bytes.size(),
                name.size()};
  put(directory, 0x02014b50, 4);
  put(directory, 20, 2); // made by zip 2.0 on FAT: no Unix permissions
  common.putTo(directory);
  put(directory, 0, 2 + 2); // comment, disk
  put(directory, 0, 2 + 4); // attributes
  put(directory, archive.size(), 4);
  put(directory, nameBytes);
  put(archive, 0x04034b50, 4);
  common.putTo(archive);
  put(archive, nameBytes);
  put(archive, stored);
  ++members;
  return Status::ok();
}

std::span<const std::byte> ZipWriter::finish() {
  uint64_t offset = archive.size();
  put(archive, directory);
  put(archive, 0x06054b50, 4);
  put(archive, 0, 4); // disks
  put(archive, members, 2);
  put(archive, members, 2);
  put(archive, directory.size(), 4);
  put(archive, offset, 4);
  put(archive, 0, 2); // comment
  return archive;
}

} // namespace graphc::runtime
