// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of a program's instructions.
#ifndef GRAPHC_RUNTIME_EXECUTOR_INSTRUCTIONS_H
#define GRAPHC_RUNTIME_EXECUTOR_INSTRUCTIONS_H

#include "runtime/format/model_generated.h"

#include <cstdint>

namespace graphc::runtime {

/// An instruction of a graph.
struct InstructionId {
  uint32_t program = 0;
  uint32_t instruction = 0;
};

/// Calls `visit(slot)` for each slot that the instruction writes.
template <typename Visitor>
void forEachOutput(const format::Instruction &instruction, Visitor visit) {
  if (const auto *dispatch = instruction.action_as_Dispatch())
    for (uint32_t slot : *dispatch->outputs())
      visit(slot);
  else if (const auto *copy = instruction.action_as_Copy())
    visit(copy->target());
  else if (const auto *fill = instruction.action_as_Fill())
    visit(fill->target());
  else if (const auto *call = instruction.action_as_HostCall())
    for (uint32_t slot : *call->slots())
      visit(slot);
  else if (const auto *recv = instruction.action_as_Recv())
    for (uint32_t slot : *recv->slots())
      visit(slot);
  else if (const auto *reduce = instruction.action_as_AllReduce())
    visit(reduce->target());
}

/// Calls `visit(slot)` for each slot that the instruction may read. Kernels may
/// read what they write; an AllReduce finds the sum there if no library makes
/// it.
template <typename Visitor>
void forEachInput(const format::Instruction &instruction, Visitor visit) {
  if (const auto *dispatch = instruction.action_as_Dispatch())
    for (uint32_t slot : *dispatch->slots())
      visit(slot);
  else if (const auto *copy = instruction.action_as_Copy())
    visit(copy->source());
  else if (const auto *send = instruction.action_as_Send())
    for (uint32_t slot : *send->slots())
      visit(slot);
  else if (const auto *reduce = instruction.action_as_AllReduce()) {
    visit(reduce->source());
    visit(reduce->target());
  }
}

} // namespace graphc::runtime

#endif
