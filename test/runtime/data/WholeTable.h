// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All rows of a dataset's files in memory, for tests of what reads them.
#ifndef GRAPHC_TEST_RUNTIME_DATA_WHOLETABLE_H
#define GRAPHC_TEST_RUNTIME_DATA_WHOLETABLE_H

#include "runtime/data/ExampleRows.h"

#include <numeric>

namespace graphc::test {

struct ExampleTable {
  struct Column {
    std::vector<std::byte> bytes;
    size_t rowBytes;
  };
  std::vector<Column> columns; ///< one per field
  int64_t rows = 0;
};

/// Gathers the rows of the range, in their order.
inline runtime::StatusOr<ExampleTable>
loadExamples(const runtime::DatasetSpec &spec,
             const runtime::DatasetFiles &files) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<runtime::ExampleRows> rows,
                          runtime::openRows(spec, files));
  ExampleTable table;
  table.rows = rows->rows();
  std::vector<std::byte *> places;
  for (const runtime::DatasetSpec::Field &field : spec.fields) {
    size_t size = field.type.numBytes();
    table.columns.push_back(
        {std::vector<std::byte>(size * static_cast<size_t>(table.rows)), size});
  }
  for (ExampleTable::Column &column : table.columns)
    places.push_back(column.bytes.data());
  std::vector<int64_t> numbers(static_cast<size_t>(table.rows));
  std::iota(numbers.begin(), numbers.end(), 0);
  GRAPHC_TRY(rows->gather(numbers, places));
  return table;
}

} // namespace graphc::test

#endif
