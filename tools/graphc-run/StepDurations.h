// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Durations of the steps of a run.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_STEPDURATIONS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_STEPDURATIONS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphc::run {

/// Collects durations in bounded memory: when `capacity` of them are kept,
/// every second one is dropped, and from then on only every second new one is
/// kept. The median is exact up to there, and that of evenly spaced steps
/// beyond.
class StepDurations {
public:
  /// REQUIRES: `capacity` is even.
  explicit StepDurations(size_t capacity = size_t(1) << 16);

  /// Does not allocate.
  void add(int64_t nanos);

  bool empty() const { return kept.empty(); }
  /// In nanoseconds. REQUIRES: not empty.
  double median() const;
  int64_t least() const { return shortest; }

private:
  const size_t capacity;
  std::vector<int64_t> kept;
  int64_t stride = 1; ///< one of so many is kept
  int64_t seen = 0;
  int64_t shortest = 0;
};

} // namespace graphc::run

#endif
