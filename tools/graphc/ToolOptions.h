// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of graphc.
#ifndef GRAPHC_TOOLS_GRAPHC_TOOLOPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_TOOLOPTIONS_H

#include "graphc/Options.h"
#include "tools/flags/FlagValues.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// Graph and inputs of --interpret.
struct InterpretFlags {
  std::string graph; ///< empty: nothing
  int64_t steps = 1;
  uint64_t seed = 0;
  std::string against; ///< folder of a run's values; empty: print the fetches
  std::vector<flags::NamedText> data;  ///< datasets, FILE[,FILE...]
  std::vector<flags::NamedText> feeds; ///< feeds, FILE.npy
};

/// Options of the command line, those of the compiler included.
struct ToolOptions {
  CompileOptions compile;
  std::string input;
  std::string output;
  bool memoryReport = false;
  /// "", or the form in which to print where everything is: "canonical",
  /// "legacy" or "json".
  std::string logPlacement;
  std::vector<std::string> explain; ///< names of ops
  std::string lock;                 ///< file to write the placement to
  std::string report;               ///< HTML file to write
  bool printPipeline = false;       ///< and nothing else
  InterpretFlags interpret;
  /// Nothing is asked for but wantsPlacement() or --lint: see preparePlacement.
  bool placementOnly = false;

  /// Something that placement decided shall be printed or written.
  bool wantsPlacement() const {
    return !logPlacement.empty() || !explain.empty() || !lock.empty();
  }
};

/// Reads the command line. Prints the help, the version or an error and gives
/// nothing when the tool should end with `exitCode`.
std::optional<ToolOptions> parseCommandLine(int argc, char **argv,
                                            int &exitCode);

} // namespace graphc

#endif
