// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints and writes the placement.
#ifndef GRAPHC_TOOLS_GRAPHC_PLACEMENTOUTPUTS_H
#define GRAPHC_TOOLS_GRAPHC_PLACEMENTOUTPUTS_H

#include "lib/placement/PlacementLog.h"
#include "tools/graphc/ToolOptions.h"

namespace graphc {

/// Asks for what the options want to know. Without any output that needs a
/// model, compilation ends after the placement.
void preparePlacement(ToolOptions &options);

/// Prints the log and the explanations to stdout and writes the lock. Gives an
/// exit code: 0, or 1 after an error on stderr.
/// `plan` is in words what stages and devices do, which a log in words begins
/// with.
int writePlacement(const ToolOptions &options, const PlacementLog &log,
                   const std::string &plan);

} // namespace graphc

#endif
