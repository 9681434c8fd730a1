// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the stages of a pipeline and how long their devices are idle.
#ifndef GRAPHC_LIB_REPLICATION_PIPELINE_PIPELINEREPORT_H
#define GRAPHC_LIB_REPLICATION_PIPELINE_PIPELINEREPORT_H

#include "dialects/tfir/Tfir.h"
#include "lib/placement/inputs/CostTable.h"
#include "lib/placement/inputs/DeviceSet.h"

namespace graphc {

/// The report of a graph with `tfir.pipeline` whose ops have devices and turns:
/// lines that end in newlines.
std::string describePipeline(tfir::GraphOp graph, const DeviceSet &devices,
                             const CostTable &costs);

} // namespace graphc

#endif
