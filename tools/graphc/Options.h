// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of graphc.
#ifndef GRAPHC_TOOLS_GRAPHC_OPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_OPTIONS_H

#include "graphc/Options.h"

#include <optional>
#include <string>

namespace graphc {

/// What the command line says, besides what goes to the compiler.
struct ToolOptions {
  CompileOptions compile;
  std::string input;
  std::string output;
  bool memoryReport = false;
};

/// Reads the command line. Prints the help, the version or an error and gives
/// nothing when the tool should end with `exitCode`.
std::optional<ToolOptions> parseCommandLine(int argc, char **argv,
                                            int &exitCode);

} // namespace graphc

#endif
