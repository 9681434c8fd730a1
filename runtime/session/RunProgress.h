// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress of a run, as its checkpoints record it.
#ifndef GRAPHC_RUNTIME_SESSION_RUNPROGRESS_H
#define GRAPHC_RUNTIME_SESSION_RUNPROGRESS_H

#include "runtime/base/Status.h"
#include "runtime/checkpoint/Safetensors.h"

#include <cstdint>
#include <optional>
#include <string>

namespace graphc::runtime {

/// Metadata of a checkpoint of a run that has done so many steps, which are
/// fewer than its graph's where the graph had been trained before.
/// `isComplete`: it will do no more.
SafetensorsMetadata progressMetadata(int64_t steps, bool isComplete);

/// Steps that a run had done when it wrote the checkpoint `path` with that
/// metadata; nothing: all of them, and what follows is another run.
/// `graphSteps`: of the graph, then. DATA_LOSS where the metadata do not say.
/// `evenComplete`: those of a run that will do no more, too.
StatusOr<std::optional<int64_t>>
readProgress(const std::string &path, const SafetensorsMetadata &metadata,
             uint64_t graphSteps, bool evenComplete = false);

} // namespace graphc::runtime

#endif
