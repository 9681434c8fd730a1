// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what a session relies on when it runs the variant of a graph that
// computes summaries.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_SUMMARYCHECK_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_SUMMARYCHECK_H

#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

namespace graphc::runtime {

/// Checks Graph.summaries, where there are any: each shows fetches that are
/// there, of the types that its kind has, and the graph that this is a variant
/// of has the same feeds, and the fetches before those of the summaries. Fails
/// with DATA_LOSS. `budget` is what may still be walked. REQUIRES: the ports
/// were checked.
Status checkSummaries(const format::Model &model, const format::Graph &graph,
                      uint64_t &budget);

} // namespace graphc::runtime

#endif
