// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/idx/IdxFormat.h"

#include "runtime/data/idx/Idx.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

class IdxFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "idx"; }
  bool recognises(const FileHead &head) const override {
    if (head.packing == FileHead::Packing::Gzip)
      return true;
    return head.packing == FileHead::Packing::None && head.bytes.size() >= 2 &&
           head.bytes[0] == std::byte{0} && head.bytes[1] == std::byte{0};
  }
  bool hasKeys() const override { return false; }
  StatusOr<std::unique_ptr<Column>>
  openColumn(const std::string &path, const DatasetSpec::Field &field,
             const FieldOptions &) const override {
    GRAPHC_ASSIGN_OR_RETURN(FileHead head, readFileHead(path));
    if (head.packing == FileHead::Packing::Gzip) {
      GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, loadIdx(path));
      return tensorColumn(field, std::move(tensor), path);
    }
    GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
    GRAPHC_ASSIGN_OR_RETURN(auto layout,
                            readIdxLayout(head.bytes, file.size(), path));
    return fileColumn(field, {layout.first, layout.second, true},
                      std::move(file), path);
  }
};

} // namespace

const SourceFormat *idxFormat() {
  static const IdxFormat format;
  return &format;
}

} // namespace graphc::runtime
