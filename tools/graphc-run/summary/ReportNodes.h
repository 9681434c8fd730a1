// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of a graph for TensorBoard, from the report of a model.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_REPORTNODES_H
#define GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_REPORTNODES_H

#include "report/Report.h"
#include "runtime/summary/GraphEvent.h"

namespace graphc::run {

/// The ops of a graph as they were placed, with their devices, and the
/// variables of the model. Names that are there twice get "_1" and so on.
std::vector<runtime::GraphDefNode>
reportNodes(const report::Report &report, const report::ReportGraph &graph);

} // namespace graphc::run

#endif
