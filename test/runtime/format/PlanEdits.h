// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to the instructions of a plan that keep all numbers consistent, so
// that nothing is wrong but what was changed.
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_PLANEDITS_H
#define GRAPHC_TEST_RUNTIME_FORMAT_PLANEDITS_H

#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

/// Takes an instruction out, with its entry of the order; lifetimes shrink.
void removeInstruction(GraphSpec &graph, uint32_t program, uint32_t index);

/// Puts an instruction before instruction `index`, with an entry in the order.
void insertInstruction(GraphSpec &graph, uint32_t program, uint32_t index,
                       InstructionSpec instruction);

/// Takes the instruction to another place; lifetimes and order are derived
/// again. Waits may then name later instructions.
void moveInstruction(GraphSpec &graph, uint32_t program, uint32_t from,
                     uint32_t to);

/// The entry of the order that runs an instruction.
size_t orderEntry(const GraphSpec &graph, uint32_t program, uint32_t index);

/// True when all programs come to their end, in some order.
bool canRun(const GraphSpec &graph);

} // namespace graphc::test

#endif
