// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions of trainings: what a checkpoint holds beside the variables, so that
// a run that loads it goes on with the same random numbers and examples.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_POSITIONS_H
#define GRAPHC_RUNTIME_CHECKPOINT_POSITIONS_H

#include "runtime/checkpoint/Safetensors.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace graphc::runtime {

/// Progress of a graph.
struct GraphPosition {
  struct Data {
    uint64_t batches = 0;  ///< taken since the dataset's first example
    uint64_t examples = 0; ///< of one pass, which tells other files apart
    bool operator==(const Data &) const = default;
  };
  uint64_t step = 0; ///< done; random numbers follow from the next one's number
  std::map<std::string, Data> data; ///< by dataset

  bool operator==(const GraphPosition &) const = default;
};

using Positions = std::map<std::string, GraphPosition>; ///< by graph

/// Adds the positions to a checkpoint's texts.
void writePositions(const Positions &positions, SafetensorsMetadata &metadata);

/// The positions among a checkpoint's texts; nothing: it has none, being of
/// another program or an older version. DATA_LOSS where they are damaged.
StatusOr<std::optional<Positions>>
readPositions(const SafetensorsMetadata &metadata);

/// The same of a file, whose tensors are not read. NOT_FOUND: no such file.
StatusOr<std::optional<Positions>> positionsOf(const std::string &path);

} // namespace graphc::runtime

#endif
