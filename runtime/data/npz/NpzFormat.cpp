// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The directory of an archive is read from its end, so that arrays of any size
// need no memory: the reader of archives in memory gets the file's last bytes
// and its directory's.
#include "runtime/data/npz/NpzFormat.h"

#include "runtime/data/Npy.h"
#include "runtime/data/archive/Zip.h"
#include "runtime/data/npy/NpyColumn.h"

#include <cstring>

namespace graphc::runtime {

namespace {

class NpzFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "npz"; }
  bool recognises(const FileHead &head) const override {
    return head.packing == FileHead::Packing::None && head.bytes.size() >= 2 &&
           std::memcmp(head.bytes.data(), "PK", 2) == 0;
  }
  bool holdsColumns() const override { return true; }
  StatusOr<std::unique_ptr<Column>>
  openColumn(const std::string &path, const DatasetSpec::Field &field,
             const FieldOptions &options) const override {
    GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
    GRAPHC_ASSIGN_OR_RETURN(std::vector<ZipMember> entries,
                            listZipFile(file, path));
    std::string known;
    for (const ZipMember &entry : entries) {
      std::string array = entry.name;
      if (array.ends_with(".npy"))
        array.resize(array.size() - 4);
      if (array == options.key)
        return openEntry(std::move(file), entry, field, path);
      known += (known.empty() ? "'" : ", '") + array + "'";
    }
    return notFound("'" + path + "' has no array '" + options.key +
                    "'; it holds " + (known.empty() ? "nothing" : known));
  }

private:
  static StatusOr<std::unique_ptr<Column>>
  openEntry(InputFile file, const ZipMember &entry,
            const DatasetSpec::Field &field, const std::string &path) {
    std::string place = path + "/" + entry.name;
    if (!entry.deflated)
      return npyColumn(field, std::move(file), entry.offset, entry.size, place);
    std::vector<std::byte> stored;
    GRAPHC_TRY(resizeBytes(stored, entry.storedSize, path));
    GRAPHC_TRY(file.readAt(entry.offset, stored));
    ZipMember member = entry;
    member.stored = stored;
    GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                            extractZip(member, path));
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, parseNpy(bytes, place));
    return tensorColumn(field, std::move(tensor), place);
  }
};

} // namespace

const SourceFormat *npzFormat() {
  static const NpzFormat format;
  return &format;
}

} // namespace graphc::runtime
