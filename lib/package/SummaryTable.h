// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Summary of model.fbs: how fetches of a graph are shown.
#ifndef GRAPHC_LIB_PACKAGE_SUMMARYTABLE_H
#define GRAPHC_LIB_PACKAGE_SUMMARYTABLE_H

#include "dialects/exec/Exec.h"
#include "lib/target/common/SharedTables.h"

namespace graphc {

/// The summaries of the graph whose first program this is; null where it has
/// none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<format::Summary>>>
writeSummaries(exec::ProgramOp first, SharedTables &tables);

} // namespace graphc

#endif
