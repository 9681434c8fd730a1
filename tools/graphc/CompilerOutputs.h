// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of graphc.
#ifndef GRAPHC_TOOLS_GRAPHC_COMPILEROUTPUTS_H
#define GRAPHC_TOOLS_GRAPHC_COMPILEROUTPUTS_H

#include "tools/graphc/ToolOptions.h"

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <vector>

namespace graphc {

/// Each gives an exit code: 0, or 1 after an error on stderr.

/// Prints "graphc: error: <message>".
int fail(const std::string &message);

/// Makes the folder of --dump-phases and checks that all outputs can be
/// written, so that a long compilation does not end in a failure.
int prepareOutputs(const ToolOptions &options);

/// Writes to a temporary file that takes the name at the end: no half model.
/// "-" is stdout.
int writeFile(const std::string &path, llvm::StringRef bytes);

/// Checks the model as the runtime will, and writes the page about it and
/// prints the memory plan of its programs where `options` ask for them.
int checkModel(const std::vector<std::byte> &bytes, const ToolOptions &options);

} // namespace graphc

#endif
