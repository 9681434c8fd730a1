// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Examples whose fields are columns of one file, or of a file each: what most
// formats are opened as (SourceFormat::open()).
#include "runtime/data/source/KeptRows.h"
#include "runtime/data/source/SourceFormat.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

class ColumnRows final : public ExampleRows {
public:
  explicit ColumnRows(std::vector<std::unique_ptr<Column>> columns)
      : columns(std::move(columns)) {}

  int64_t rows() const override { return columns[0]->rows(); }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override {
    for (size_t f = 0; f < columns.size(); ++f)
      GRAPHC_TRY(columns[f]->gather(rows, fields[f]));
    return Status::ok();
  }

private:
  std::vector<std::unique_ptr<Column>> columns;
};

Status wrongCount(const DatasetSpec &spec, size_t paths) {
  std::string names;
  for (const DatasetSpec::Field &field : spec.fields)
    names += (names.empty() ? "'" : ", '") + field.name + "'";
  return invalidArgument(std::to_string(paths) + " files are given for " +
                         std::to_string(spec.fields.size()) +
                         " fields; give one file for each of " + names +
                         ", or one .npz or .csv for all");
}

StatusOr<std::unique_ptr<Column>> openOne(const SourceFormat &format,
                                          const std::string &path,
                                          const DatasetSpec::Field &field,
                                          const FieldOptions &options,
                                          const DatasetFiles &files) {
  if (!format.hasKeys() && files.keys.contains(field.name))
    return invalidArgument("'" + path +
                           "' is a file of one array, which has no "
                           "names of features, columns or arrays; leave "
                           "?" +
                           field.name + "=" + files.keys.at(field.name) +
                           " out");
  return format.openColumn(path, field, options);
}

Status checkRows(const std::vector<std::unique_ptr<Column>> &columns,
                 const std::vector<std::string> &paths) {
  for (size_t i = 1; i < columns.size(); ++i)
    if (columns[i]->rows() != columns[0]->rows())
      return invalidArgument("'" + paths[0] + "' has " +
                             std::to_string(columns[0]->rows()) +
                             " rows, but '" + paths[i % paths.size()] +
                             "' has " + std::to_string(columns[i]->rows()) +
                             "; give files of the same examples");
  return Status::ok();
}

} // namespace

StatusOr<std::unique_ptr<ExampleRows>>
SourceFormat::open(const DatasetSpec &spec, const DatasetFiles &files) const {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<FieldOptions> options,
                          fieldOptionsOf(spec, files));
  size_t fields = spec.fields.size();
  const std::vector<std::string> &paths = files.paths;
  bool isShared = paths.size() == 1 && (fields == 1 || holdsColumns());
  if (!isShared && paths.size() != fields)
    return wrongCount(spec, paths.size());
  std::vector<std::unique_ptr<Column>> columns;
  for (size_t i = 0; i < fields; ++i) {
    StatusOr<const SourceFormat *> found = this;
    if (i > 0 && !isShared && files.format.empty())
      found = formatOf(paths[i]);
    GRAPHC_ASSIGN_OR_RETURN(const SourceFormat *format, found);
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<Column> column,
                            openOne(*format, paths[isShared ? 0 : i],
                                    spec.fields[i], options[i], files));
    columns.push_back(std::move(column));
  }
  GRAPHC_TRY(checkRows(columns, paths));
  bool areLoaded = std::all_of(
      columns.begin(), columns.end(),
      [](const std::unique_ptr<Column> &one) { return one->isInMemory(); });
  std::unique_ptr<ExampleRows> rows(new ColumnRows(std::move(columns)));
  if (areLoaded)
    return rows;
  return keepSmall(spec, std::move(rows));
}

StatusOr<std::unique_ptr<Column>>
SourceFormat::openColumn(const std::string &path,
                         const DatasetSpec::Field &field,
                         const FieldOptions &) const {
  return invalidArgument("'" + path + "' has whole examples, not the field '" +
                         field.name + "' alone; give files of its kind only");
}

} // namespace graphc::runtime
