// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits the slots that an instruction uses.
#ifndef GRAPHC_RUNTIME_FORMAT_SLOTUSES_H
#define GRAPHC_RUNTIME_FORMAT_SLOTUSES_H

#include "runtime/format/model_generated.h"

#include <cstdint>

namespace graphc::runtime {

/// Calls `visit(slot)` for each slot that the instruction writes.
template <typename Visitor>
void forEachWrite(const format::Instruction &instruction, Visitor visit) {
  auto all = [&](const flatbuffers::Vector<uint32_t> &slots) {
    for (uint32_t slot : slots)
      visit(slot);
  };
  if (const auto *dispatch = instruction.action_as_Dispatch())
    all(*dispatch->outputs());
  else if (const auto *copy = instruction.action_as_Copy())
    visit(copy->target());
  else if (const auto *fill = instruction.action_as_Fill())
    visit(fill->target());
  else if (const auto *call = instruction.action_as_HostCall())
    all(*call->slots());
  else if (const auto *recv = instruction.action_as_Recv())
    all(*recv->slots());
  else if (const auto *reduce = instruction.action_as_AllReduce())
    visit(reduce->target());
}

/// Calls `visit(slot)` for each slot that the instruction names and may read:
/// for a kernel and an AllReduce also those that it writes.
template <typename Visitor>
void forEachOperand(const format::Instruction &instruction, Visitor visit) {
  auto all = [&](const flatbuffers::Vector<uint32_t> &slots) {
    for (uint32_t slot : slots)
      visit(slot);
  };
  if (const auto *dispatch = instruction.action_as_Dispatch())
    all(*dispatch->slots());
  else if (const auto *copy = instruction.action_as_Copy())
    visit(copy->source());
  else if (const auto *send = instruction.action_as_Send())
    all(*send->slots());
  else if (const auto *reduce = instruction.action_as_AllReduce()) {
    visit(reduce->source());
    visit(reduce->target());
  }
}

} // namespace graphc::runtime

#endif
