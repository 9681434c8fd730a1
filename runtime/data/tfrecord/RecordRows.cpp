// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/tfrecord/RecordRows.h"

#include "runtime/base/Suggest.h"
#include "runtime/data/tfrecord/ExampleProto.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

class RecordRows final : public ExampleRows {
public:
  RecordRows(std::vector<RecordFile> files, std::vector<ExampleField> fields)
      : files(std::move(files)), fields(std::move(fields)) {
    for (const RecordFile &file : this->files)
      ends.push_back((ends.empty() ? 0 : ends.back()) + file.records());
  }

  int64_t all() const { return ends.back(); }
  void restrict(int64_t begin, int64_t end) {
    first = begin;
    count = end - begin;
  }

  int64_t rows() const override { return count; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    static thread_local std::vector<std::byte> buffer;
    static thread_local std::vector<std::byte *> to;
    to.assign(places.begin(), places.end());
    for (int64_t row : rows) {
      GRAPHC_TRY(readRow(first + row, buffer, to));
      for (size_t f = 0; f < fields.size(); ++f)
        to[f] += fields[f].type.numBytes();
    }
    return Status::ok();
  }

private:
  Status readRow(int64_t row, std::vector<std::byte> &buffer,
                 std::span<std::byte *const> to) const {
    auto end = std::upper_bound(ends.begin(), ends.end(), row);
    const RecordFile &file = files[static_cast<size_t>(end - ends.begin())];
    int64_t number = row - (*end - file.records());
    GRAPHC_ASSIGN_OR_RETURN(std::span<const std::byte> data,
                            file.read(number, buffer));
    Status status = readExample(data, fields, to);
    return status.isOk() ? status
                         : Status(status.code(), file.placeOf(number) + " " +
                                                     status.message());
  }

  std::vector<RecordFile> files;
  std::vector<ExampleField> fields;
  std::vector<int64_t> ends; ///< rows up to the end of each file
  int64_t first = 0, count = 0;
};

/// Fields with their features; INVALID_ARGUMENT for a key of no field.
StatusOr<std::vector<ExampleField>>
fieldsOf(const DatasetSpec &spec,
         const std::map<std::string, std::string> &keys) {
  std::vector<ExampleField> fields;
  std::vector<std::string> names;
  for (const DatasetSpec::Field &field : spec.fields) {
    auto key = keys.find(field.name);
    fields.push_back(
        {key == keys.end() ? field.name : key->second, field.type});
    names.push_back(field.name);
  }
  for (const auto &[field, key] : keys)
    if (std::find(names.begin(), names.end(), field) == names.end())
      return invalidArgument(unknownName("it", "field", field, names));
  return fields;
}

StatusOr<std::unique_ptr<ExampleRows>> open(const DatasetSpec &spec,
                                            const DatasetFiles &files) {
  if (spec.fields.size() > 64)
    return invalidArgument("TFRecord files are read with at most 64 fields");
  GRAPHC_ASSIGN_OR_RETURN(std::vector<ExampleField> fields,
                          fieldsOf(spec, files.keys));
  std::vector<RecordFile> opened;
  for (const std::string &path : files.paths) {
    GRAPHC_ASSIGN_OR_RETURN(RecordFile file, RecordFile::open(path));
    opened.push_back(std::move(file));
  }
  auto rows =
      std::make_unique<RecordRows>(std::move(opened), std::move(fields));
  int64_t begin = files.begin.value_or(0);
  int64_t end = files.end.value_or(rows->all());
  GRAPHC_TRY(checkRowRange(files, begin, end, rows->all(), spec.batch));
  rows->restrict(begin, end);
  return std::unique_ptr<ExampleRows>(std::move(rows));
}

} // namespace

StatusOr<std::unique_ptr<ExampleRows>>
openRecordRows(const DatasetSpec &spec, const DatasetFiles &files) {
  StatusOr<std::unique_ptr<ExampleRows>> rows = open(spec, files);
  if (!rows.isOk())
    return rows.status().annotate("dataset '" + spec.name + "'");
  return rows;
}

} // namespace graphc::runtime
