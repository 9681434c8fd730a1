// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a list of ops into stages of about the same time.
#ifndef GRAPHC_LIB_REPLICATION_PIPELINE_STAGECUTS_H
#define GRAPHC_LIB_REPLICATION_PIPELINE_STAGECUTS_H

#include "lib/placement/inputs/CostTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace graphc {

/// Costs of the ops of a pipeline, in their order, forward and backward
/// together.
struct StageCosts {
  /// By device of a stage, then by op: seconds.
  std::vector<std::vector<double>> seconds;
  /// By op: bytes that cross a cut before it.
  std::vector<double> crossing;
  /// By stage: the link from the stage before; that of stage 0 is not used.
  std::vector<LinkSpeed> links;

  size_t ops() const { return crossing.size(); }
};

/// The first op of each stage, for which the slowest stage, or transfer to one,
/// is fastest; of equal ones with the shorter transfers, then the earlier cuts.
/// Empty: there are fewer ops that take time than stages.
llvm::SmallVector<size_t> cutIntoStages(const StageCosts &costs);

} // namespace graphc

#endif
