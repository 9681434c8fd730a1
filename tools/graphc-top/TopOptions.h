// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of graphc-top.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_TOPOPTIONS_H
#define GRAPHC_TOOLS_GRAPHC_TOP_TOPOPTIONS_H

#include "tools/flags/CommandLine.h"
#include "tools/graphc-top/TopTables.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc::top {

struct TopOptions {
  std::vector<std::string> targets; ///< any tasks of the cluster
  std::string cluster;              ///< file or JSON text
  double interval = 2;              ///< seconds
  TopView view = TopView::Tasks;
  bool isOnce = false, isJson = false;
  std::string tlsDir;
};

struct ParsedTopOptions {
  TopOptions options;
  std::optional<int> exitCode;
};

ParsedTopOptions parseCommandLine(int argc, char **argv);

} // namespace graphc::top

#endif
