// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a dataset as --data names them.
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

/// "[FORMAT:]FILE[,FILE...][?FIELD=KEY[&FIELD=KEY...]][@BEGIN:END]", taken
/// apart. A '@' begins a row range where only digits, ':' and '-' follow it, a
/// '?' keys where a '=' does; else they belong to the name. A name with '*'
/// that no file has is all files that it fits, sorted.
struct DatasetFiles {
  std::string format{}; ///< that was named; empty: told by the content
  std::vector<std::string> paths;
  /// Of fields, with their options (FieldOptions.h), and a format's settings.
  std::map<std::string, std::string> keys{};
  std::optional<int64_t> begin;
  std::optional<int64_t> end;
};
StatusOr<DatasetFiles> parseDatasetFiles(std::string_view text);

/// INVALID_ARGUMENT where rows begin to end are not all there, or fill no
/// batch.
Status checkRowRange(const DatasetFiles &files, int64_t begin, int64_t end,
                     int64_t rows, int64_t batch);

} // namespace graphc::runtime

#endif
