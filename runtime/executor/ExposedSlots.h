// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that another task reads where this one has made them.
#ifndef GRAPHC_RUNTIME_EXECUTOR_EXPOSEDSLOTS_H
#define GRAPHC_RUNTIME_EXECUTOR_EXPOSEDSLOTS_H

#include "runtime/executor/SlotTable.h"
#include "runtime/format/InstructionId.h"
#include "runtime/format/model_generated.h"

#include <functional>
#include <vector>

namespace graphc::runtime {

/// An edge whose values lie where the receiver's task can read them.
struct ExposedEdge {
  uint32_t edge = 0;
  std::byte *address = nullptr;
  InstructionId writer; ///< the first to write a value: it must wait until the
                        ///< receiver has read that of the step before
};

struct Exposure {
  size_t minBytes = 0; ///< smaller values stay
  /// Memory that the receiver of the edge can read, or null.
  std::function<std::byte *(uint32_t edge, size_t bytes)> memory;
};

/// Moves what Sends of `program` give to other tasks out of its arena, with all
/// slots that name the same bytes at the same time. Left where it is: what was
/// received, fed or comes from a dataset, and what is written after its Send.
/// Slots that move together are exposed to one program, the first that gets
/// some of them.
std::vector<ExposedEdge> exposeSlots(const format::Graph &graph,
                                     uint32_t program,
                                     const std::vector<bool> &isLocal,
                                     const Exposure &exposure,
                                     SlotTable &table);

/// True when the program may read remotely what comes to the slot: nothing but
/// one Recv writes the slot, nobody looks at it after the step, and it does not
/// go on to a program of the same task.
bool mayReadRemotely(const format::Graph &graph, uint32_t program,
                     uint32_t slot, const std::vector<bool> &isLocal);

} // namespace graphc::runtime

#endif
