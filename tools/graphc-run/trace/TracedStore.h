// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Place of checkpoints that records how long steps wait for it.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEDSTORE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEDSTORE_H

#include "runtime/session/CheckpointStore.h"
#include "tools/graphc-run/trace/TraceCollector.h"

namespace graphc::run {

/// The same store; what it does within a run becomes spans of the trace.
std::shared_ptr<runtime::CheckpointStore>
tracedStore(std::shared_ptr<runtime::CheckpointStore> store,
            std::shared_ptr<TraceCollector> trace);

} // namespace graphc::run

#endif
