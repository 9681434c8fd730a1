// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data of a training that goes on from a checkpoint.
#ifndef GRAPHC_RUNTIME_SESSION_RESUMEDATA_H
#define GRAPHC_RUNTIME_SESSION_RESUMEDATA_H

#include "runtime/checkpoint/Positions.h"

#include <functional>

namespace graphc::runtime {

/// Batches of a dataset that a graph has had before it goes on; 0 where the
/// checkpoint has none, is of other files, or was written at the data's
/// end, which `note` (may be empty) is told.
uint64_t batchesToSkip(const GraphPosition &position,
                       const std::string &dataset, int64_t examples,
                       int64_t batchesPerEpoch, int64_t repeat,
                       const std::function<void(const std::string &)> &note);

/// Tells that a checkpoint has no positions.
std::string noPositionsText(const std::string &path);

} // namespace graphc::runtime

#endif
