// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/npy/NpyFormat.h"

#include "runtime/data/Npy.h"
#include "runtime/data/npy/NpyColumn.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {

class NpyFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "npy"; }
  bool recognises(const FileHead &head) const override {
    return head.packing == FileHead::Packing::None && head.bytes.size() >= 6 &&
           std::memcmp(head.bytes.data(), "\x93NUMPY", 6) == 0;
  }
  bool hasKeys() const override { return false; }
  StatusOr<std::unique_ptr<Column>>
  openColumn(const std::string &path, const DatasetSpec::Field &field,
             const FieldOptions &) const override {
    GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
    uint64_t size = file.size();
    return npyColumn(field, std::move(file), 0, size, path);
  }
};

} // namespace

StatusOr<std::unique_ptr<Column>> npyColumn(const DatasetSpec::Field &field,
                                            InputFile file, uint64_t begin,
                                            uint64_t size,
                                            const std::string &place) {
  constexpr uint64_t kMostHeader = uint64_t{1} << 20;
  std::vector<std::byte> head(std::min(size, kMostHeader));
  GRAPHC_TRY(file.readAt(begin, head));
  GRAPHC_ASSIGN_OR_RETURN(NpyLayout layout, readNpyLayout(head, size, place));
  if (!layout.isFortran || layout.type.shape.size() < 2)
    return fileColumn(field, {layout.type, begin + layout.offset},
                      std::move(file), place);
  // Rows are no neighbours there; it is turned round in memory.
  std::vector<std::byte> bytes;
  GRAPHC_TRY(resizeBytes(bytes, size, place));
  GRAPHC_TRY(file.readAt(begin, bytes));
  GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, parseNpy(bytes, place));
  return tensorColumn(field, std::move(tensor), place);
}

const SourceFormat *npyFormat() {
  static const NpyFormat format;
  return &format;
}

} // namespace graphc::runtime
