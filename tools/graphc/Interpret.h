// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a graph by the reference interpreter: graphc --interpret.
#ifndef GRAPHC_TOOLS_GRAPHC_INTERPRET_H
#define GRAPHC_TOOLS_GRAPHC_INTERPRET_H

#include "tools/graphc/ToolOptions.h"

#include "llvm/ADT/StringRef.h"

namespace graphc {

/// Executes steps of a graph of the module in `text`, which some phase of the
/// compiler printed, and prints the fetches of each. Gives an exit code: 0, or
/// 1 after an error on stderr.
int interpret(llvm::StringRef text, const InterpretFlags &flags);

} // namespace graphc

#endif
