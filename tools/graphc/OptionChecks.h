// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks flags of graphc against each other; one flag alone is FlagChecks.h's.
#ifndef GRAPHC_TOOLS_GRAPHC_OPTIONCHECKS_H
#define GRAPHC_TOOLS_GRAPHC_OPTIONCHECKS_H

#include "tools/graphc/ToolOptions.h"

#include <string>

namespace graphc {

/// Names flags that do not make sense together, and the fix; empty: all do.
std::string describeProblem(const ToolOptions &options);

} // namespace graphc

#endif
