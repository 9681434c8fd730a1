// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of other files as they were decoded, kept in a file.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_FILECACHE_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_FILECACHE_H

#include "runtime/data/ExampleRows.h"

#include <functional>

namespace graphc::runtime {

/// "?cache=FILE" of --data, unless the dataset has a field of that name; empty:
/// there is none.
std::string fileCacheOf(const DatasetSpec &spec, const DatasetFiles &files);

/// The rows in the file `path`. Where there is none, `open` gives the rows that
/// all threads read then, before this returns; what is written of them appears
/// whole or not at all, and is a function of the rows and of what describes
/// their files: names, sizes and times, fields and options. With a file that is
/// there the data's are not opened: FAILED_PRECONDITION where their description
/// differs, DATA_LOSS where the file is damaged; of single rows gather() tells.
/// CANCELLED: a signal came while it was written.
StatusOr<std::unique_ptr<ExampleRows>> openFileCache(
    const std::string &path, const DatasetSpec &spec, const DatasetFiles &files,
    const std::function<StatusOr<std::unique_ptr<ExampleRows>>()> &open);

} // namespace graphc::runtime

#endif
