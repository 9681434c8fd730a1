// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/csv/CsvFormat.h"

#include "runtime/data/csv/Csv.h"
#include "runtime/data/source/KeptRows.h"
#include "runtime/data/source/LineFile.h"

namespace graphc::runtime {

namespace {

class CsvRows final : public ExampleRows {
public:
  CsvRows(LineFile file, const DatasetSpec &spec, std::vector<FieldOptions> all)
      : file(std::move(file)), options(std::move(all)) {
    for (size_t i = 0; i < options.size(); ++i)
      fields.push_back({spec.fields[i].name, spec.fields[i].type, &options[i]});
  }

  Status readFirstLine() {
    char separator = file.path().ends_with(".tsv") ? '\t' : ',';
    std::vector<std::byte> buffer;
    StatusOr<std::string_view> first = std::string_view();
    if (file.lines() > 0)
      first = file.read(0, buffer);
    GRAPHC_ASSIGN_OR_RETURN(std::string_view line, first);
    GRAPHC_ASSIGN_OR_RETURN(
        layout, readCsvLayout(line, separator, fields, file.path()));
    return Status::ok();
  }

  int64_t rows() const override {
    return file.lines() - (layout.hasHeader ? 1 : 0);
  }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> places) const override {
    static thread_local std::vector<std::byte> buffer;
    static thread_local std::vector<std::byte *> to;
    to.assign(places.begin(), places.end());
    for (int64_t row : rows) {
      int64_t number = row + (layout.hasHeader ? 1 : 0);
      GRAPHC_ASSIGN_OR_RETURN(std::string_view line, file.read(number, buffer));
      // Only a failure is worth the time to count lines.
      if (!readCsvRow(line, 1, layout, fields, to, file.path()).isOk())
        return readCsvRow(line, file.lineOf(number), layout, fields, to,
                          file.path());
      for (size_t f = 0; f < fields.size(); ++f)
        to[f] += fields[f].type.numBytes();
    }
    return Status::ok();
  }

private:
  LineFile file;
  std::vector<FieldOptions> options;
  std::vector<CsvField> fields; ///< point to the options
  CsvLayout layout;
};

StatusOr<std::unique_ptr<ExampleRows>>
openCsv(const std::string &path, const DatasetSpec &spec,
        std::vector<FieldOptions> options) {
  for (FieldOptions &one : options)
    one.splits |= one.isLength; // the words of a column are counted
  GRAPHC_ASSIGN_OR_RETURN(LineFile file, LineFile::open(path, true));
  auto rows =
      std::make_unique<CsvRows>(std::move(file), spec, std::move(options));
  GRAPHC_TRY(rows->readFirstLine());
  return keepSmall(spec, std::move(rows));
}

/// The rows of a file that has one field.
class CsvColumn final : public Column {
public:
  explicit CsvColumn(std::unique_ptr<ExampleRows> all) : all(std::move(all)) {}
  int64_t rows() const override { return all->rows(); }
  Status gather(std::span<const int64_t> rows, std::byte *to) const override {
    return all->gather(rows, std::span(&to, 1));
  }

private:
  std::unique_ptr<ExampleRows> all;
};

class CsvFormat final : public SourceFormat {
public:
  std::string_view name() const override { return "csv"; }
  bool recognises(const FileHead &head) const override {
    return head.path.ends_with(".csv") || head.path.ends_with(".tsv");
  }
  StatusOr<std::unique_ptr<ExampleRows>>
  open(const DatasetSpec &spec, const DatasetFiles &files) const override {
    if (files.paths.size() > 1)
      return SourceFormat::open(spec, files);
    GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                            fieldOptionsOf(spec, files));
    return openCsv(files.paths[0], spec, std::move(options));
  }
  StatusOr<std::unique_ptr<Column>>
  openColumn(const std::string &path, const DatasetSpec::Field &field,
             const FieldOptions &options) const override {
    DatasetSpec one;
    one.name = field.name;
    one.fields = {field};
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ExampleRows> rows,
                            openCsv(path, one, {options}));
    return std::unique_ptr<Column>(new CsvColumn(std::move(rows)));
  }
};

} // namespace

const SourceFormat *csvFormat() {
  static const CsvFormat format;
  return &format;
}

} // namespace graphc::runtime
