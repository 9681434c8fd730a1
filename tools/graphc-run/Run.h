// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a graph, from choosing it to the last file written.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_RUN_H
#define GRAPHC_TOOLS_GRAPHC_RUN_RUN_H

#include "runtime/base/Status.h"
#include "tools/graphc-run/RunOptions.h"
#include "tools/graphc-run/RunTarget.h"

namespace graphc::run {

/// The exit code, or why nothing came of it.
runtime::StatusOr<int> run(RunTarget &target, const RunOptions &options);

} // namespace graphc::run

#endif
