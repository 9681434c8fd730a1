// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Begin and end of each instruction in some steps.
#ifndef GRAPHC_RUNTIME_EXECUTOR_STEPTIMELINE_H
#define GRAPHC_RUNTIME_EXECUTOR_STEPTIMELINE_H

#include <cstdint>
#include <span>
#include <vector>

namespace graphc::runtime {

/// Thread-safety: a program's events are added by the thread that walks it;
/// they are read between steps.
class StepTimeline {
public:
  struct Event {
    uint32_t instruction;
    uint64_t step;                ///< of the graph, from 1
    int64_t beginNanos, endNanos; ///< of nowNanos()
  };

  /// Of the steps `first` to `last`, from 1.
  StepTimeline(uint32_t programs, uint64_t first, uint64_t last)
      : first(first), last(last), byProgram(programs) {}

  bool wants(uint64_t step) const { return step >= first && step <= last; }
  void add(uint32_t program, const Event &event) {
    byProgram[program].push_back(event);
  }
  std::span<const Event> events(uint32_t program) const {
    return byProgram[program];
  }
  uint32_t programs() const { return static_cast<uint32_t>(byProgram.size()); }

private:
  const uint64_t first, last;
  std::vector<std::vector<Event>> byProgram;
};

} // namespace graphc::runtime

#endif
