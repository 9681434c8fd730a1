// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timeline as a file that Perfetto and chrome://tracing open.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACEFILE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACEFILE_H

#include "runtime/executor/StepTimeline.h"
#include "runtime/format/Model.h"

#include <string>

namespace graphc::run {

/// Writes the events of a graph in the Trace Event Format: a track per program,
/// named as its device, a slice per instruction with its op, line and step, an
/// arrow from each send to its receive. A name that ends in ".gz" is packed.
runtime::Status writeTrace(const std::string &path, const runtime::Model &model,
                           const format::Graph &graph,
                           const runtime::StepTimeline &timeline);

} // namespace graphc::run

#endif
