// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled graph as nodes with inputs, for pictures of it.
#ifndef GRAPHC_RUNTIME_SUMMARY_MODELNODES_H
#define GRAPHC_RUNTIME_SUMMARY_MODELNODES_H

#include "runtime/format/Model.h"
#include "runtime/summary/GraphEvent.h"

#include <vector>

namespace graphc::runtime {

/// An instruction of a program, or a variable that is read, per node. An input
/// is who wrote a value last, over edges between programs, too.
std::vector<SummaryNode> modelNodes(const Model &model,
                                    const format::Graph &graph);

} // namespace graphc::runtime

#endif
