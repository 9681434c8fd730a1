// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress of a run for people: how far it is, how fast, and when it ends.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_MONITOR_PROGRESSLINE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_MONITOR_PROGRESSLINE_H

#include <cstdint>
#include <deque>
#include <string>

namespace graphc::run {

enum class Progress { Auto, On, Off };

/// When a run shows its progress, and in which form.
struct ProgressMode {
  bool isShown = false;
  bool isInPlace = false; ///< else lines of their own
  int64_t firstNanos = 0; ///< before the first
  int64_t everyNanos = 0; ///< between two
};

/// `isTerminal`: of stdout. `isTraining`: it may take days.
ProgressMode progressMode(Progress wanted, bool isTerminal, bool isTraining);

/// Thread-safety: one call at a time.
class ProgressLine {
public:
  /// `planned` 0: not known; `examplesPerStep` 0: not known.
  ProgressLine(const ProgressMode &mode, int64_t planned,
               int64_t examplesPerStep, int64_t now);

  bool isDue(int64_t now) const { return mode.isShown && now >= due; }
  bool isInPlace() const { return mode.isInPlace; }

  /// "step 1100: 100/1000 (10%), 350 steps/s, 35000 examples/s, ETA 0:02:31,
  /// loss = 0.12". `step` is that of the graph, `done` counts this run's, at
  /// the time `at`; rates are those of the last seconds.
  std::string text(uint64_t step, int64_t done, int64_t at, int64_t now,
                   const std::string &values);

private:
  struct Sample {
    int64_t nanos, steps;
  };
  const ProgressMode mode;
  const int64_t planned, examplesPerStep;
  std::deque<Sample> samples; ///< of the last seconds
  int64_t due;
};

/// "0:02:31", "3 d 04:10:00".
std::string durationText(double seconds);

} // namespace graphc::run

#endif
