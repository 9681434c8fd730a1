// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodings of a trace that Perfetto and chrome://tracing open.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEFORMATS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEFORMATS_H

#include "tools/graphc-run/trace/TraceData.h"

#include <string>

namespace graphc::run {

/// Trace Event Format, JSON. Microseconds since the first slice.
std::string traceAsJson(const TraceData &trace);

/// Perfetto's own: TracePackets with TrackEvents. Nanoseconds.
std::string traceAsProto(const TraceData &trace);

} // namespace graphc::run

#endif
