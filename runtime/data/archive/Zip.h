// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zip archives in memory, as far as .npz files need them.
#ifndef GRAPHC_RUNTIME_DATA_ARCHIVE_ZIP_H
#define GRAPHC_RUNTIME_DATA_ARCHIVE_ZIP_H

#include "runtime/base/Status.h"
#include "runtime/data/File.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A member of an archive, located and bounded but not yet inflated.
struct ZipMember {
  std::string name;
  std::span<const std::byte> stored; ///< its bytes in an archive in memory
  uint64_t offset = 0;               ///< of these in the archive
  uint64_t storedSize = 0;           ///< of these, in bytes
  uint64_t size = 0;                 ///< in bytes, once inflated
  uint32_t crc = 0;                  ///< of the inflated bytes
  bool deflated = false;
};

/// The members of an archive, in the order of its central directory. The spans
/// point into `archive`, which is not trusted: members that overlap, reach out
/// of the file or claim more than deflate can hold are refused. Archives of
/// more than 4 GiB (zip64) are read.
StatusOr<std::vector<ZipMember>> listZip(std::span<const std::byte> archive,
                                         std::string_view place);

/// The same of an archive in a file, of which only the directory is read:
/// nothing is `stored`.
StatusOr<std::vector<ZipMember>> listZipFile(const InputFile &file,
                                             std::string_view place);

/// The bytes of a member, with its checksum verified. `place` names the
/// archive.
StatusOr<std::vector<std::byte>> extractZip(const ZipMember &member,
                                            std::string_view place);

/// Makes an archive piece by piece. Times are fixed, so that the same members
/// give the same bytes.
class ZipWriter {
public:
  /// Appends a member. INVALID_ARGUMENT where the archive would reach 4 GiB or
  /// 65535 members.
  Status add(std::string_view name, std::span<const std::byte> bytes,
             bool deflated);

  /// The archive with its directory. Adds nothing after that.
  std::span<const std::byte> finish();

private:
  std::vector<std::byte> archive;
  std::vector<std::byte> directory;
  uint16_t members = 0;
};

} // namespace graphc::runtime

#endif
