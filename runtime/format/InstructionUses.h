// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slots, edges and sums that an instruction of a file uses.
#ifndef GRAPHC_RUNTIME_FORMAT_INSTRUCTIONUSES_H
#define GRAPHC_RUNTIME_FORMAT_INSTRUCTIONUSES_H

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
/// for a kernel and an AllReduce also those that it writes. An AllReduce finds
/// the sum in its target if no library makes it.
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
  else if (const auto *call = instruction.action_as_HostCall();
           call && call->reads())
    all(*call->reads());
  else if (const auto *send = instruction.action_as_Send())
    all(*send->slots());
  else if (const auto *reduce = instruction.action_as_AllReduce()) {
    visit(reduce->source());
    visit(reduce->target());
  }
}

/// Edges that an instruction sends or receives, with the slots of their values
/// at the same positions.
struct EdgeUses {
  using Indices = flatbuffers::Vector<uint32_t>;

  const Indices *edges = nullptr; ///< null: it does neither
  const Indices *slots = nullptr;
  bool isSend = false;
};

inline EdgeUses edgesOf(const format::Instruction &instruction) {
  if (const auto *send = instruction.action_as_Send())
    return {send->edges(), send->slots(), true};
  if (const auto *recv = instruction.action_as_Recv())
    return {recv->edges(), recv->slots(), false};
  return {};
}

/// Returns the call that takes a batch of a dataset; null: the instruction is
/// none.
inline const format::HostCall *
nextBatchOf(const format::Instruction &instruction) {
  const auto *call = instruction.action_as_HostCall();
  return call && call->function() == format::HostFunction::NextBatch ? call
                                                                     : nullptr;
}

} // namespace graphc::runtime

#endif
