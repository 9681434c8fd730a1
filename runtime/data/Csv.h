// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in comma-separated text.
//
// The first line is a header if any of its cells is not a number. Cells may be
// quoted; blanks around numbers and empty lines are skipped; a line may end in
// CR LF. Bools are 0, 1, true or false.
#ifndef GRAPHC_RUNTIME_DATA_CSV_H
#define GRAPHC_RUNTIME_DATA_CSV_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// A group of columns: what one row holds of it.
struct CsvField {
  std::string name;
  TensorType type; ///< as many columns as it has elements
};

/// One tensor of shape [rows, field's shape...] per field. Where a header names
/// the fields, each takes the column of its name (NAME, or NAME_0) and those
/// after it, and other columns are ignored; else the fields take all columns in
/// order. INVALID_ARGUMENT names line and column. The text is not trusted.
StatusOr<std::vector<HostTensor>> parseCsv(std::string_view text,
                                           std::span<const CsvField> fields,
                                           std::string_view place);

} // namespace graphc::runtime

#endif
