// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text that differs where the files of a dataset do.
#ifndef GRAPHC_RUNTIME_DATA_PIPELINE_DATAIDENTITY_H
#define GRAPHC_RUNTIME_DATA_PIPELINE_DATAIDENTITY_H

#include "runtime/data/DatasetFiles.h"

namespace graphc::runtime {

/// A line for each file, with its name without folders, size and time of its
/// last change; of a folder each file below it, of options the files that they
/// name. Content is not read. The rows in use do not count.
std::string describeFiles(const DatasetFiles &files);

} // namespace graphc::runtime

#endif
