// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names an instruction of a graph.
#ifndef GRAPHC_RUNTIME_FORMAT_INSTRUCTIONID_H
#define GRAPHC_RUNTIME_FORMAT_INSTRUCTIONID_H

#include <cstdint>

namespace graphc::runtime {

/// An instruction of a graph.
struct InstructionId {
  uint32_t program = 0;
  uint32_t instruction = 0;
};

} // namespace graphc::runtime

#endif
