// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explains why a pattern fits no value that is in memory.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_MISSINGVALUES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_DEBUG_MISSINGVALUES_H

#include "runtime/inspect/KeptValues.h"

#include <string>
#include <vector>

namespace graphc::run {

/// The ops of a graph, as it was placed, whose values are in no slot, in their
/// order; none where the model has no report. Constants are left out.
std::vector<std::string> unkeptOps(const runtime::Model &model,
                                   const format::Graph &graph,
                                   const std::vector<runtime::KeptValue> &kept);

/// INVALID_ARGUMENT for a pattern of `flag`: either the ops that fit have no
/// value in memory, with the cure, or nothing has such a name.
runtime::Status missingValue(const char *flag, const std::string &pattern,
                             const runtime::Model &model,
                             const format::Graph &graph,
                             const std::vector<std::string> &unkept,
                             const std::vector<runtime::KeptValue> &kept);

} // namespace graphc::run

#endif
