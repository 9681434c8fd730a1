// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/safetensors/SafetensorsFormat.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/safetensors/SafetensorsHeader.h"

#include <cstring>

namespace graphc::runtime {

namespace {

class SafetensorsFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "safetensors"; }
  bool recognises(const FileHead &head) const override {
    uint64_t size = 0;
    if (head.packing != FileHead::Packing::None || head.bytes.size() < 10)
      return false;
    std::memcpy(&size, head.bytes.data(), sizeof(size));
    return size < (uint64_t{1} << 32) && head.bytes[8] == std::byte{'{'} &&
           (head.bytes[9] == std::byte{'"'} || head.bytes[9] == std::byte{'}'});
  }
  bool holdsColumns() const override { return true; }
  StatusOr<std::unique_ptr<Column>>
  openColumn(const std::string &path, const DatasetSpec::Field &field,
             const FieldOptions &options) const override {
    GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
    GRAPHC_ASSIGN_OR_RETURN(SafetensorsHeader header,
                            readSafetensorsHeader(file, path));
    std::vector<std::string> names;
    for (const SafetensorsEntry &entry : header.entries) {
      if (entry.name == options.key)
        return fileColumn(field, {entry.type, header.dataStart + entry.begin},
                          std::move(file), path);
      names.push_back(entry.name);
    }
    return notFound(
        unknownName("'" + path + "'", "tensor", options.key, names));
  }
};

} // namespace

const SourceFormat *safetensorsFormat() {
  static const SafetensorsFormat format;
  return &format;
}

} // namespace graphc::runtime
