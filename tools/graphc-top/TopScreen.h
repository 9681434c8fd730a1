// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The live view in a terminal.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_TOPSCREEN_H
#define GRAPHC_TOOLS_GRAPHC_TOP_TOPSCREEN_H

#include "tools/graphc-top/ClusterPoller.h"
#include "tools/graphc-top/TopTables.h"

namespace graphc::top {

/// Draws with ncurses on the alternate screen until a key or a signal ends it,
/// and gives the terminal back as it was. False: a signal ended it.
/// FAILED_PRECONDITION where the terminal cannot do that.
runtime::StatusOr<bool> showScreen(const ClusterPoller &poller, TopView view,
                                   double interval);

} // namespace graphc::top

#endif
