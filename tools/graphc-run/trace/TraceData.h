// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace of a run, whatever its file's format is: processes with tracks of
// slices, and arrows between slices.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEDATA_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRACE_TRACEDATA_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace graphc::run {

/// A task, or this process.
struct TraceProcess {
  std::string name;
  std::string note; ///< for people: the error of its clock, what is missing
  /// Bound of the error of its times, and the offset that was estimated; below
  /// 0: they are those of this process.
  int64_t errorNanos = -1;
  int64_t offsetNanos = 0;
};

/// Slices of a track do not overlap.
struct TraceTrack {
  uint32_t process = 0;
  std::string name;
};

/// Slices of steps, instructions and the like. What is kNone is not known.
struct TraceSlice {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t track = 0;
  uint32_t name = 0;          ///< in TraceData::names
  const char *category = "";  ///< a literal
  int64_t begin = 0, end = 0; ///< nanoseconds of one clock for all
  uint64_t step = 0;          ///< from 1; 0: none
  uint32_t instruction = kNone;
  uint32_t line = 0;  ///< of the source, from 1; 0: none
  uint64_t bytes = 0; ///< 0: none
};

/// An arrow from one slice's begin to another's end.
struct TraceArrow {
  uint32_t from = 0, to = 0; ///< slices
  uint32_t edge = 0;
  uint64_t step = 0;
};

/// Thread-safety: as a value type.
struct TraceData {
  std::vector<TraceProcess> processes;
  std::vector<TraceTrack> tracks;
  std::vector<std::string> names;
  std::vector<TraceSlice> slices;
  std::vector<TraceArrow> arrows;

  uint32_t addProcess(const std::string &name);
  uint32_t addTrack(uint32_t process, std::string name);
  /// Number of a name, a new one where there is none yet.
  uint32_t nameOf(const std::string &name);
  uint32_t add(const TraceSlice &slice) {
    slices.push_back(slice);
    return static_cast<uint32_t>(slices.size() - 1);
  }
  /// Begin of the first slice; 0: there are none.
  int64_t start() const;
  /// Slices by track, and by time in it.
  std::vector<uint32_t> inOrder() const;

private:
  std::map<std::string, uint32_t> numbers; ///< of names
};

} // namespace graphc::run

#endif
