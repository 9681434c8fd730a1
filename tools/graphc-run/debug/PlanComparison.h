// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two plans that should compute the same: --verify-equiv.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_PLANCOMPARISON_H
#define GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_PLANCOMPARISON_H

#include "tools/graphc-run/RunOptions.h"

namespace graphc::run {

/// Runs graphs of the model and of options.debug.equivalent in this process,
/// one after the other, from the same first values (of --seed) and the same
/// inputs: those of --feed and --data, random ones for the others. The programs
/// of all tasks and devices run on the host, so that plans of clusters and
/// accelerators can be compared. The graph of --graph, or each that the models
/// have.
///
/// Prints what agrees, and exits with 0; or the first fetch or variable that
/// differs by more than options.debug.tolerance of its largest element, with 1.
/// Errors: the plans do not have the same graphs, or one cannot run.
runtime::StatusOr<int> comparePlans(const RunOptions &options);

} // namespace graphc::run

#endif
