// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/ExampleRows.h"

#include "runtime/data/tfrecord/RecordRows.h"

#include <cstring>

namespace graphc::runtime {

namespace {

class TableRows final : public ExampleRows {
public:
  explicit TableRows(ExampleTable table) : table(std::move(table)) {}

  int64_t rows() const override { return table.rows; }
  Status gather(std::span<const int64_t> rows,
                std::span<std::byte *const> fields) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      auto row = static_cast<size_t>(rows[i]);
      for (size_t f = 0; f < table.columns.size(); ++f) {
        const ExampleTable::Column &column = table.columns[f];
        if (column.rowBytes > 0)
          std::memcpy(fields[f] + i * column.rowBytes,
                      &column.bytes[row * column.rowBytes], column.rowBytes);
      }
    }
    return Status::ok();
  }

private:
  ExampleTable table;
};

} // namespace

StatusOr<std::unique_ptr<ExampleRows>> openRows(const DatasetSpec &spec,
                                                const DatasetFiles &files) {
  GRAPHC_ASSIGN_OR_RETURN(bool areRecords, isRecordFile(files.paths[0]));
  if (areRecords)
    return openRecordRows(spec, files);
  if (!files.keys.empty())
    return invalidArgument("dataset '" + spec.name + "': '" + files.paths[0] +
                           "' is no TFRecord file, whose features alone have "
                           "names of their own; leave ?FIELD=KEY out");
  GRAPHC_ASSIGN_OR_RETURN(ExampleTable table, loadExamples(spec, files));
  return std::unique_ptr<ExampleRows>(new TableRows(std::move(table)));
}

} // namespace graphc::runtime
