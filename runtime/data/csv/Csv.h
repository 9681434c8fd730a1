// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and texts in comma-separated text.
//
// The first line is a header if any of its cells is not a number. Cells may be
// quoted; blanks around numbers and empty lines are skipped; a line may end in
// CR LF. Bools are 0, 1, true or false.
#ifndef GRAPHC_RUNTIME_DATA_CSV_CSV_H
#define GRAPHC_RUNTIME_DATA_CSV_CSV_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"
#include "runtime/data/fields/FieldOptions.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A group of columns: what one row holds of it.
struct CsvField {
  std::string name;
  TensorType type;                       ///< as many columns as it has elements
  const FieldOptions *options = nullptr; ///< nullptr: none
};

/// The columns of a file, as its first line tells.
struct CsvLayout {
  char separator = ',';
  bool hasHeader = false;
  size_t columns = 0;
  std::vector<size_t> starts; ///< the first column of each field
};
StatusOr<CsvLayout> readCsvLayout(std::string_view line, char separator,
                                  std::span<const CsvField> fields,
                                  std::string_view place);

/// Writes the fields of a line, whose number, from 1, errors name. A text that
/// is split, or counted, is one column.
Status readCsvRow(std::string_view line, size_t number, const CsvLayout &layout,
                  std::span<const CsvField> fields,
                  std::span<std::byte *const> places, std::string_view place);

/// One tensor of shape [rows, field's shape...] per field. Where a header names
/// the fields, each takes the column of its name (NAME, or NAME_0) and those
/// after it, and other columns are ignored; else the fields take all columns in
/// order. INVALID_ARGUMENT names line and column. The text is not trusted.
StatusOr<std::vector<HostTensor>> parseCsv(std::string_view text,
                                           std::span<const CsvField> fields,
                                           std::string_view place);

} // namespace graphc::runtime

#endif
