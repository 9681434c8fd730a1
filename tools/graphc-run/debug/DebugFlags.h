// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags that look at values within steps.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_DEBUGFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_DEBUGFLAGS_H

#include "runtime/base/Status.h"
#include "runtime/inspect/ValueObserver.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace graphc::run {

/// Exit code of a run that --break-on-nan has stopped.
inline constexpr int kExitNan = 3;

struct DebugFlags {
  std::string watchText, dumpText;
  std::vector<std::string> watch; ///< patterns; empty: nothing
  bool listsValues = false;       ///< --watch=list
  uint64_t watchEvery = 1;
  std::vector<std::string> dump; ///< patterns; empty: nothing
  runtime::StepRange dumpSteps;
  std::string dumpFolder; ///< empty: none
  bool breaksOnNan = false;
  bool verifiesOps = false; ///< see OpVerification.h
  std::string equivalent;   ///< another plan, see PlanComparison.h; empty: none
  double tolerance = 1e-4;  ///< of its values

  bool isUsed() const {
    return listsValues || !watch.empty() || !dump.empty() || breaksOnNan;
  }
};

void addDebugFlags(CLI::App &app, DebugFlags &flags);

/// Reads the texts. INVALID_ARGUMENT names the flag that is wrong, or goes with
/// none of the others. `elsewhere`: what the run is where no value can be
/// looked at, such as "a cluster"; null: it is in this process.
runtime::Status convertDebugFlags(const CLI::App &app, const char *elsewhere,
                                  DebugFlags &flags);

} // namespace graphc::run

#endif
