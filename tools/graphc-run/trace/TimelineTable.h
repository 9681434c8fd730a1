// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mean times of a run's instructions and waits, as a table.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TIMELINETABLE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TIMELINETABLE_H

#include "runtime/client/RunTimeline.h"
#include "runtime/format/Model.h"

namespace graphc::run {

/// Prints to stderr what each instruction of each program took per recorded
/// step, and how long the program waited. REQUIRES: the timeline is of the
/// graph.
void printTimeline(const runtime::Model &model, const format::Graph &graph,
                   const runtime::RunTimeline &timeline);

} // namespace graphc::run

#endif
