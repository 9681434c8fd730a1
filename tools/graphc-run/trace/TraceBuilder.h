// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a trace of the timelines of runs.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEBUILDER_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEBUILDER_H

#include "runtime/client/RunTimeline.h"
#include "runtime/format/Model.h"
#include "tools/graphc-run/trace/TraceData.h"

namespace graphc::run {

/// Adds a run of the graph: a process per task, a track per program, one of the
/// task's steps, one per dataset that is read ahead, and tracks of the values
/// on their way from other tasks; arrows from each send to its receive.
/// REQUIRES: programs, instructions and edges of the timeline are the graph's.
void addRun(TraceData &trace, const runtime::Model &model,
            const format::Graph &graph, const runtime::RunTimeline &timeline);

} // namespace graphc::run

#endif
