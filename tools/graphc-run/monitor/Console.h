// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of output, and under them one that is rewritten in place.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_MONITOR_CONSOLE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_MONITOR_CONSOLE_H

#include <cstdio>
#include <string>

namespace graphc::run::console {

/// True when stdout is a terminal that can rewrite a line.
bool isTerminal();

/// Shows a line in place of the one that is shown, cut to the terminal's width.
/// Thread-safety: any thread, as all here.
void showStatus(const std::string &text);
/// Takes it away.
void clearStatus();

/// Prints a whole line above it. `text` has no newline at its end.
void printLine(std::FILE *file, const std::string &text);

} // namespace graphc::run::console

#endif
