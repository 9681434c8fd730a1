// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading the files of a dataset into one table per field.
#ifndef GRAPHC_RUNTIME_DATA_DATASETFILES_H
#define GRAPHC_RUNTIME_DATA_DATASETFILES_H

#include "runtime/base/Status.h"
#include "runtime/data/DataSource.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

/// "FILE[,FILE...][?FIELD=KEY[&FIELD=KEY...]][@BEGIN:END]", taken apart. A '@'
/// begins a row range where only digits, ':' and '-' follow it, a '?' keys
/// where a '=' does; else they belong to the name. A name with '*' that no file
/// has is all files that it fits, sorted.
struct DatasetFiles {
  std::vector<std::string> paths;
  std::map<std::string, std::string> keys{}; ///< of features, by field
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

/// INVALID_ARGUMENT where rows begin to end are not all there, or fill no
/// batch.
Status checkRowRange(const DatasetFiles &files, int64_t begin, int64_t end,
                     int64_t rows, int64_t batch);

/// Reads the files, checks them against the declared fields, and keeps the rows
/// of the range.
StatusOr<ExampleTable> loadExamples(const DatasetSpec &spec,
                                    const DatasetFiles &files);

} // namespace graphc::runtime

#endif
