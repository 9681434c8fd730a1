// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reading half of Zip.h. Sizes come from the central directory alone; of a
// member's own header only the length is used, to find what follows it.
#include "runtime/data/archive/Inflate.h"
#include "runtime/data/archive/Zip.h"

#include <algorithm>
#include <optional>

namespace graphc::runtime {

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kDirectoryEnd = 0x06054b50;
constexpr uint32_t kDirectoryEnd64 = 0x06064b50;
constexpr uint32_t kLocator64 = 0x07064b50;
constexpr size_t kLocalHeaderSize = 30;
constexpr size_t kDirectoryEntrySize = 46;
constexpr size_t kDirectoryEndSize = 22;
constexpr size_t kDirectoryEnd64Size = 56;
constexpr size_t kLocator64Size = 20;
// Deflate makes at most 1032 bytes of one.
constexpr uint64_t kMaxRatio = 1032;

Status damaged(std::string_view place, std::string_view reason) {
  return dataLoss("'" + std::string(place) + "' is a damaged zip archive: " +
                  std::string(reason) + "; copy or make it again");
}

/// Little-endian numbers at offsets that the caller has checked, in memory or
/// in a file; what cannot be read there is 0, which fits nowhere.
class Bytes {
public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes(bytes) {}
  explicit Bytes(const InputFile &file) : file(&file) {}

  bool has(uint64_t offset, uint64_t count) const {
    return offset <= size() && count <= size() - offset;
  }
  uint16_t u16(uint64_t at) const { return static_cast<uint16_t>(get(at, 2)); }
  uint32_t u32(uint64_t at) const { return static_cast<uint32_t>(get(at, 4)); }
  uint64_t u64(uint64_t at) const { return get(at, 8); }
  /// Nothing of a file.
  std::span<const std::byte> span(uint64_t at, uint64_t count) const {
    return file ? std::span<const std::byte>() : bytes.subspan(at, count);
  }
  StatusOr<std::vector<std::byte>> copy(uint64_t at, uint64_t count,
                                        std::string_view place) const {
    std::vector<std::byte> copied;
    GRAPHC_TRY(resizeBytes(copied, count, place));
    if (file)
      GRAPHC_TRY(file->readAt(at, copied));
    else
      std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(at), count,
                  copied.begin());
    return copied;
  }
  uint64_t size() const { return file ? file->size() : bytes.size(); }

private:
  uint64_t get(uint64_t at, size_t count) const {
    std::byte read[8] = {};
    if (!file)
      std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(at), count, read);
    else if (!file->readAt(at, std::span(read).first(count)).isOk())
      return 0;
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
      value = value << 8 | std::to_integer<uint64_t>(read[i]);
    return value;
  }

  std::span<const std::byte> bytes;
  const InputFile *file = nullptr;
};

struct Directory {
  uint64_t offset;
  uint64_t size;
  uint64_t entries;
};

/// Follows the zip64 locator before the directory's end, if there is one.
std::optional<Directory> findDirectory64(const Bytes &file, uint64_t end) {
  if (end < kLocator64Size || file.u32(end - kLocator64Size) != kLocator64)
    return std::nullopt;
  uint64_t at = file.u64(end - kLocator64Size + 8);
  if (!file.has(at, kDirectoryEnd64Size) || file.u32(at) != kDirectoryEnd64)
    return std::nullopt;
  return Directory{file.u64(at + 48), file.u64(at + 40), file.u64(at + 32)};
}

StatusOr<Directory> findDirectory(const Bytes &file, std::string_view place) {
  // The end record is last but for a comment of at most 65535 bytes.
  uint64_t tail = std::min<uint64_t>(file.size(), kDirectoryEndSize + 0xffff);
  for (uint64_t back = kDirectoryEndSize; back <= tail; ++back) {
    uint64_t at = file.size() - back;
    if (file.u32(at) != kDirectoryEnd ||
        file.u16(at + 20) != back - kDirectoryEndSize)
      continue;
    Directory found{file.u32(at + 16), file.u32(at + 12), file.u16(at + 10)};
    if (std::optional<Directory> large = findDirectory64(file, at))
      found = *large;
    if (!file.has(found.offset, found.size) || found.offset + found.size > at)
      return damaged(place, "its directory reaches out of the file");
    return found;
  }
  return damaged(place, "it has no directory at its end");
}

/// Replaces the sizes that are all ones by those of the zip64 extra field.
bool readExtra64(const Bytes &extra, std::span<uint64_t *const> values) {
  uint64_t at = 0;
  while (extra.has(at, 4)) {
    uint64_t size = extra.u16(at + 2);
    if (!extra.has(at + 4, size))
      return false;
    if (extra.u16(at) != 1) {
      at += 4 + size;
      continue;
    }
    uint64_t next = at + 4;
    for (uint64_t *value : values) {
      if (*value != 0xffffffff)
        continue;
      if (next + 8 > at + 4 + size)
        return false;
      *value = extra.u64(next);
      next += 8;
    }
    return true;
  }
  return true;
}

/// Finds a member's bytes after its own header.
Status locate(const Bytes &file, uint64_t offset, uint64_t storedSize,
              ZipMember &member, std::string_view place) {
  if (!file.has(offset, kLocalHeaderSize) || file.u32(offset) != kLocalHeader)
    return damaged(place, "member '" + member.name + "' has no header");
  uint64_t data =
      offset + kLocalHeaderSize + file.u16(offset + 26) + file.u16(offset + 28);
  if (!file.has(data, storedSize))
    return damaged(place,
                   "member '" + member.name + "' reaches out of the file");
  member.stored = file.span(data, storedSize);
  member.offset = data;
  member.storedSize = storedSize;
  return Status::ok();
}

Status checkSize(const ZipMember &member, std::string_view place) {
  uint64_t stored = member.storedSize;
  bool possible = member.deflated ? member.size / kMaxRatio <= stored
                                  : member.size == stored;
  if (possible)
    return Status::ok();
  return damaged(place, "member '" + member.name + "' claims " +
                            std::to_string(member.size) + " bytes in " +
                            std::to_string(stored));
}

/// Reads the directory entry at `at` of `directory`; sets `next` after it.
StatusOr<ZipMember> readEntry(const Bytes &file, const Bytes &directory,
                              uint64_t at, uint64_t &next,
                              std::string_view place) {
  if (!directory.has(at, kDirectoryEntrySize) ||
      directory.u32(at) != kDirectoryEntry)
    return damaged(place, "its directory is malformed");
  uint16_t nameSize = directory.u16(at + 28),
           extraSize = directory.u16(at + 30);
  next =
      at + kDirectoryEntrySize + nameSize + extraSize + directory.u16(at + 32);
  if (next > directory.size())
    return damaged(place, "its directory is malformed");
  std::span<const std::byte> name =
      directory.span(at + kDirectoryEntrySize, nameSize);
  ZipMember member;
  member.name.assign(reinterpret_cast<const char *>(name.data()), name.size());
  member.crc = directory.u32(at + 16);
  uint16_t flags = directory.u16(at + 8), method = directory.u16(at + 10);
  if (flags & 1 || (method != 0 && method != 8))
    return invalidArgument(
        "member '" + member.name + "' of '" + std::string(place) +
        "' is encrypted or compressed by another method than deflate; write "
        "the archive with numpy.savez or numpy.savez_compressed");
  member.deflated = method == 8;
  uint64_t storedSize = directory.u32(at + 20);
  uint64_t offset = directory.u32(at + 42);
  member.size = directory.u32(at + 24);
  uint64_t *values[] = {&member.size, &storedSize, &offset};
  Bytes extra(directory.span(at + kDirectoryEntrySize + nameSize, extraSize));
  if (!readExtra64(extra, values))
    return damaged(place, "its directory is malformed");
  GRAPHC_TRY(locate(file, offset, storedSize, member, place));
  GRAPHC_TRY(checkSize(member, place));
  return member;
}

} // namespace

namespace {

StatusOr<std::vector<ZipMember>> listMembers(const Bytes &file,
                                             std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(Directory found, findDirectory(file, place));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> entries,
                          file.copy(found.offset, found.size, place));
  Bytes directory(entries);
  std::vector<ZipMember> members;
  uint64_t total = 0;
  for (uint64_t at = 0; members.size() < found.entries;) {
    uint64_t next = 0;
    GRAPHC_ASSIGN_OR_RETURN(ZipMember member,
                            readEntry(file, directory, at, next, place));
    at = next;
    // Members that share bytes would let a small file hold very much.
    total += kLocalHeaderSize + member.storedSize;
    if (total > file.size())
      return damaged(place, "its members overlap");
    members.push_back(std::move(member));
  }
  return members;
}

} // namespace

StatusOr<std::vector<ZipMember>> listZip(std::span<const std::byte> archive,
                                         std::string_view place) {
  return listMembers(Bytes(archive), place);
}

StatusOr<std::vector<ZipMember>> listZipFile(const InputFile &file,
                                             std::string_view place) {
  return listMembers(Bytes(file), place);
}

StatusOr<std::vector<std::byte>> extractZip(const ZipMember &member,
                                            std::string_view place) {
  using Content = StatusOr<std::vector<std::byte>>;
  Content content =
      member.deflated
          ? inflateBytes(member.stored, Wrapping::Raw, member.size + 1, place)
          : Content({member.stored.begin(), member.stored.end()});
  if (content.isOk() &&
      (content->size() != member.size || crc32Of(*content) != member.crc))
    return damaged(place,
                   "the checksum of member '" + member.name + "' is wrong");
  return content;
}

} // namespace graphc::runtime
