// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns SIGINT and SIGTERM into a flag that a loop looks at between steps.
#ifndef GRAPHC_RUNTIME_BASE_STOPSIGNAL_H
#define GRAPHC_RUNTIME_BASE_STOPSIGNAL_H

namespace graphc::runtime {

/// From now on the first SIGINT or SIGTERM only sets the flag. One that comes
/// at least a second later ends the process as usual, so that a program which
/// does not come to its next step can still be stopped; earlier ones belong to
/// the first, since programs such as timeout send theirs twice.
void catchStopSignals();

/// True when a stop signal has arrived. Thread-safety: any thread.
bool stopRequested();

} // namespace graphc::runtime

#endif
