// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/tfrecord/RecordFormat.h"

#include "runtime/data/tfrecord/ExampleProto.h"
#include "runtime/data/tfrecord/RecordFile.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

class RecordRows final : public ExampleRows {
public:
  RecordRows(std::vector<RecordFile> files, const DatasetSpec &spec,
             std::vector<FieldOptions> all)
      : files(std::move(files)), options(std::move(all)) {
    for (const RecordFile &file : this->files)
      ends.push_back((ends.empty() ? 0 : ends.back()) + file.records());
    for (size_t i = 0; i < options.size(); ++i)
      fields.push_back({options[i].key, spec.fields[i].type, &options[i]});
  }

  int64_t rows() const override { return ends.back(); }
  /// A microsecond or two to find and parse a record, and to read it from a
  /// disk that gives a byte in each nanosecond; what is decoded takes more.
  int64_t rowNanos() const override {
    int64_t nanos = 2000;
    for (const ExampleField &field : fields)
      nanos += static_cast<int64_t>(field.type.numBytes());
    return nanos;
  }
  std::vector<int64_t> fileEnds() const override {
    std::vector<int64_t> used;
    for (int64_t end : ends)
      if (end > (used.empty() ? 0 : used.back()))
        used.push_back(end);
    return used;
  }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    static thread_local std::vector<std::byte> buffer;
    static thread_local std::vector<std::byte *> to;
    to.assign(places.begin(), places.end());
    for (int64_t row : rows) {
      GRAPHC_TRY(readRow(row, buffer, to));
      for (size_t f = 0; f < fields.size(); ++f)
        to[f] += fields[f].type.numBytes();
    }
    return Status::ok();
  }

  StatusOr<std::vector<std::byte>> encoded(int64_t row,
                                           size_t field) const override {
    std::vector<std::byte> buffer;
    auto [file, number] = find(row);
    GRAPHC_ASSIGN_OR_RETURN(std::span<const std::byte> data,
                            file->read(number, buffer));
    StatusOr<std::span<const std::byte>> bytes =
        bytesOfExample(data, fields[field].key);
    if (!bytes.isOk())
      return Status(bytes.status().code(),
                    file->placeOf(number) + " " + bytes.status().message());
    return std::vector<std::byte>(bytes->begin(), bytes->end());
  }

private:
  std::pair<const RecordFile *, int64_t> find(int64_t row) const {
    auto end = std::upper_bound(ends.begin(), ends.end(), row);
    const RecordFile &file = files[static_cast<size_t>(end - ends.begin())];
    return {&file, row - (*end - file.records())};
  }

  Status readRow(int64_t row, std::vector<std::byte> &buffer,
                 std::span<std::byte *const> to) const {
    auto [file, number] = find(row);
    GRAPHC_ASSIGN_OR_RETURN(std::span<const std::byte> data,
                            file->read(number, buffer));
    Status status = readExample(data, fields, to);
    return status.isOk() ? status
                         : Status(status.code(), file->placeOf(number) + " " +
                                                     status.message());
  }

  std::vector<RecordFile> files;
  std::vector<FieldOptions> options;
  std::vector<ExampleField> fields; ///< point to the options
  std::vector<int64_t> ends;        ///< rows up to the end of each file
};

class RecordFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "tfrecord"; }
  bool recognises(const FileHead &head) const override {
    return beginsAsRecord(head.bytes);
  }
  StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const override {
    // A process has a limited number of open files.
    constexpr size_t kMostOpen = 256;
    if (spec.fields.size() > 64)
      return invalidArgument("TFRecord files are read with at most 64 fields");
    GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                            fieldOptionsOf(spec, files));
    std::vector<RecordFile> opened;
    for (const std::string &path : files.paths) {
      GRAPHC_ASSIGN_OR_RETURN(
          RecordFile file,
          RecordFile::open(path, files.paths.size() <= kMostOpen));
      opened.push_back(std::move(file));
    }
    return std::unique_ptr<ExampleRows>(
        new RecordRows(std::move(opened), spec, std::move(options)));
  }
};

} // namespace

const SourceFormat *recordFormat() {
  static const RecordFormat format;
  return &format;
}

} // namespace graphc::runtime
