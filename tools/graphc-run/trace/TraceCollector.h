// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects what a command records, and writes it as one trace.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACECOLLECTOR_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACECOLLECTOR_H

#include "runtime/base/ThreadAnnotations.h"
#include "tools/graphc-run/trace/TraceBuilder.h"

#include <string>
#include <vector>

namespace graphc::run {

/// Thread-safety: any thread.
class TraceCollector {
public:
  /// The format follows from the name: ".pftrace" is Perfetto's own; otherwise
  /// JSON, which ".gz" packs.
  explicit TraceCollector(std::string path) : path(std::move(path)) {}

  /// Adds a run of the graph. REQUIRES: as runtime::addRun().
  void add(const runtime::Model &model, const format::Graph &graph,
           const runtime::RunTimeline &timeline);
  /// Adds something that this process does beside steps; times of nowNanos().
  void addSpan(const std::string &track, const std::string &name,
               int64_t beginNanos, int64_t endNanos);

  /// Writes the file.
  runtime::Status write();
  /// About the clocks of tasks, and what is missing, for people.
  std::vector<std::string> notes() const;

private:
  struct Span {
    std::string track, name;
    int64_t begin, end;
  };
  void addSpans() GRAPHC_REQUIRES(mutex);

  const std::string path;
  mutable runtime::Mutex mutex;
  TraceData trace GRAPHC_GUARDED_BY(mutex);
  std::vector<Span> spans GRAPHC_GUARDED_BY(mutex);
  size_t tasks GRAPHC_GUARDED_BY(mutex) = 0;
  int64_t errorNanos GRAPHC_GUARDED_BY(mutex) = 0;
  std::vector<std::string> missing GRAPHC_GUARDED_BY(mutex);
};

} // namespace graphc::run

#endif
