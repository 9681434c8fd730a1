// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other tools of graphc that graphc-run starts.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_FINDTOOL_H
#define GRAPHC_TOOLS_GRAPHC_RUN_FINDTOOL_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace graphc::run {

/// The path of a tool: beside graphc-run, else on the PATH. NOT_FOUND: `why`,
/// such as "--spawn needs", and what to do instead, `cure`.
runtime::StatusOr<std::string> findTool(const std::string &name,
                                        const std::string &why,
                                        const std::string &cure);

/// Runs a tool with this process's streams to its end; its exit code.
/// INTERNAL: it cannot be started, or a signal ended it.
runtime::StatusOr<int> runTool(const std::string &path,
                               const std::vector<std::string> &arguments);

} // namespace graphc::run

#endif
