// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time of a step in which each program works, waits or is done, and stragglers.
#ifndef GRAPHC_RUNTIME_PROFILE_DEVICEBALANCE_H
#define GRAPHC_RUNTIME_PROFILE_DEVICEBALANCE_H

#include "runtime/profile/StepRecord.h"

#include <string>

namespace graphc::runtime {

/// A program in a step: the four times are the length of the step together.
/// Means of the steps, in nanoseconds.
struct ProgramTime {
  double busy = 0;         ///< in instructions
  double waiting = 0;      ///< for values of other programs
  double ready = 0;        ///< it could go on, but no thread did so yet
  double done = 0;         ///< after its last instruction
  uint32_t waitsFor = 0;   ///< the program that it waits for most
  double waitingForIt = 0; ///< of `waiting`; 0: it waits for none
};

std::vector<ProgramTime> programTimes(const StepDependences &step,
                                      std::span<const StepRecord> records);

/// Things that do the same side by side, as towers or tasks do.
struct PeerTime {
  std::string name;
  double busy = 0;      ///< nanoseconds per step
  uint32_t slowest = 0; ///< steps in which it was busy longest
  uint32_t last = 0;    ///< steps in which it ended last
};

struct PeerBalance {
  std::vector<PeerTime> peers; ///< by name
  double maxToMean = 1;        ///< longest to mean busy time, mean of the steps
};

/// `peerOf` has the name of each instruction's peer, by index; "": of none.
PeerBalance balanceOf(const StepDependences &step,
                      std::span<const StepRecord> records,
                      std::span<const std::string> peerOf);

} // namespace graphc::runtime

#endif
