// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading the files of a dataset into one table per field.
#ifndef GRAPHC_RUNTIME_DATA_DATASETFILES_H
#define GRAPHC_RUNTIME_DATA_DATASETFILES_H

#include "runtime/base/Status.h"
#include "runtime/data/DataSource.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// "FILE[,FILE...][@BEGIN:END]", taken apart. A '@' begins a row range where
/// only digits, ':' and '-' follow it; else it belongs to the name.
struct DatasetFiles {
  std::vector<std::string> paths;
  std::optional<int64_t> begin;
  std::optional<int64_t> end;
};
StatusOr<DatasetFiles> parseDatasetFiles(std::string_view text);

/// The rows of all fields, in the declared types.
struct ExampleTable {
  struct Column {
    std::vector<std::byte> bytes;
    size_t rowBytes;
  };
  std::vector<Column> columns; ///< one per field
  int64_t rows = 0;
};

/// Reads the files, checks them against the declared fields, and keeps the rows
/// of the range.
StatusOr<ExampleTable> loadExamples(const DatasetSpec &spec,
                                    const DatasetFiles &files);

} // namespace graphc::runtime

#endif
