// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of checkPlan(), and what they share.
#ifndef GRAPHC_RUNTIME_FORMAT_PLANPARTS_H
#define GRAPHC_RUNTIME_FORMAT_PLANPARTS_H

#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

#include <string>

namespace graphc::runtime {

/// A use of a slot by an instruction, such as one side of an edge.
struct End {
  uint32_t program, instruction, slot;
};

/// "program 1 '...': instruction #4 'fc1/MatMul' at line 12".
std::string endText(const format::Graph &graph, const End &end);

/// The edges that an instruction sends or receives, with their slots.
struct EdgeFrame {
  using Indices = flatbuffers::Vector<uint32_t>;

  const Indices *edges = nullptr; ///< null: it does neither
  const Indices *slots = nullptr;
  bool isSend = false;
};

EdgeFrame frameOf(const format::Instruction &instruction);

/// The number of the AllReduce that the instruction is; 0: it is none.
uint32_t allReduceOf(const format::Instruction &instruction);

/// All programs meet collectives in one order. REQUIRES: edges were checked.
Status checkCollectives(const format::Graph &graph);

/// Each AllReduce is one of several programs, of as many values; what makes the
/// sum without a library stands before it and has no other effect; and no
/// program is in a deadlock where a library makes the sums, each AllReduce then
/// being a meeting of all its programs. Unless the graph is whole, what other
/// tasks' programs do was checked on the whole plan. REQUIRES: edges were
/// checked.
Status checkAllReduces(const format::Graph &graph, bool isWhole);

/// Checks that programs share variables and datasets without a race. Unless the
/// graph is whole, some shards of a dataset are other tasks'.
Status checkSharing(const format::Graph &graph, bool isWhole);

/// Values of one program are written before they are read and not overwritten
/// before they were.
Status checkMemory(const format::Graph &graph, uint32_t program);

} // namespace graphc::runtime

#endif
