// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/trace/TraceCollector.h"

#include "runtime/data/File.h"
#include "runtime/data/archive/Inflate.h"
#include "tools/graphc-run/trace/TraceFormats.h"

#include <algorithm>
#include <cstdio>

namespace graphc::run {

using namespace runtime;

namespace {

/// A gzip file of one member.
StatusOr<std::vector<std::byte>> gzipOf(const std::string &text,
                                        const std::string &path) {
  auto bytes = std::as_bytes(std::span(text));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> packed,
                          deflateBytes(bytes, path));
  constexpr uint8_t kHeader[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
  auto header = std::as_bytes(std::span(kHeader));
  std::vector<std::byte> file(header.begin(), header.end());
  file.insert(file.end(), packed.begin(), packed.end());
  for (uint32_t word : {crc32Of(bytes), static_cast<uint32_t>(text.size())})
    for (int shift = 0; shift < 32; shift += 8)
      file.push_back(static_cast<std::byte>(word >> shift & 255));
  return file;
}

} // namespace

void TraceCollector::add(const Model &model, const format::Graph &graph,
                         const RunTimeline &timeline) {
  MutexLock lock(mutex);
  addRun(trace, model, graph, timeline);
  for (const TaskTimeline &task : timeline.tasks) {
    if (!task.lost.isOk())
      missing.push_back("of " + task.name +
                        " not all is in the trace: " + task.lost.message());
    if (task.dropped > 0)
      missing.push_back((task.name.empty() ? "the trace" : task.name) +
                        " had no room for " + std::to_string(task.dropped) +
                        " events; record fewer steps (--profile-steps)");
    if (task.name.empty() || !task.lost.isOk())
      continue;
    ++tasks;
    errorNanos = std::max(errorNanos, task.errorNanos);
  }
}

void TraceCollector::addSpan(const std::string &track, const std::string &name,
                             int64_t beginNanos, int64_t endNanos) {
  MutexLock lock(mutex);
  spans.push_back({track, name, beginNanos, endNanos});
}

void TraceCollector::addSpans() {
  std::map<std::string, uint32_t> tracks;
  for (const Span &span : spans) {
    if (!tracks.contains(span.track))
      tracks[span.track] =
          trace.addTrack(trace.addProcess("graphc-run"), span.track);
    TraceSlice slice;
    slice.track = tracks[span.track];
    slice.name = trace.nameOf(span.name);
    slice.category = "host";
    slice.begin = span.begin;
    slice.end = span.end;
    trace.add(slice);
  }
  spans.clear();
}

Status TraceCollector::write() {
  MutexLock lock(mutex);
  addSpans();
  std::string text =
      path.ends_with(".pftrace") ? traceAsProto(trace) : traceAsJson(trace);
  std::vector<std::byte> packed;
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  if (path.ends_with(".gz")) {
    GRAPHC_ASSIGN_OR_RETURN(packed, gzipOf(text, path));
    bytes = packed;
  }
  return replaceFile(path, std::span(&bytes, 1));
}

std::vector<std::string> TraceCollector::notes() const {
  MutexLock lock(mutex);
  std::vector<std::string> notes = missing;
  if (tasks == 0)
    return notes;
  char error[32];
  std::snprintf(error, sizeof error, "%.1f",
                static_cast<double>(errorNanos) * 1e-3);
  notes.push_back("the trace has " + std::to_string(tasks) +
                  " tasks by one clock, each within " + error +
                  " us (half of the best round trip)");
  return notes;
}

} // namespace graphc::run
