// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of feeds from the command line.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_FEEDS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_FEEDS_H

#include "runtime/data/HostTensor.h"
#include "runtime/format/Model.h"
#include "tools/graphc-run/RunOptions.h"

namespace graphc::run {

/// Reads the files and numbers of --feed, typed as the graph's feeds.
runtime::StatusOr<std::vector<runtime::NamedTensor>>
readFeeds(const format::Graph &graph, const std::vector<NamedText> &feeds);

} // namespace graphc::run

#endif
