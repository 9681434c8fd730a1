// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of an instruction, and the ops of the source that it is for.
#ifndef GRAPHC_RUNTIME_PROFILE_INSTRUCTIONWORK_H
#define GRAPHC_RUNTIME_PROFILE_INSTRUCTIONWORK_H

#include "runtime/format/model_generated.h"
#include "runtime/profile/OpNameParts.h"

#include <string_view>
#include <vector>

namespace graphc::runtime {

/// An estimate of the compiler, or what follows from the sizes of slots.
struct InstructionWork {
  double flops = 0;
  double bytes = 0; ///< read and written
};

InstructionWork workOf(const format::Model &model,
                       const format::Program &program,
                       const format::Instruction &instruction);

/// An op behind an instruction.
struct OpShare {
  std::string_view name;
  uint32_t line = 0; ///< from 1; 0: not known
  double share = 1;  ///< of the instruction's time and work; all: 1
};

/// The ops of a fused kernel, in proportion to their work; one op otherwise.
std::vector<OpShare> sharesOf(const format::Instruction &instruction);

/// The phase of an op of the instruction.
StepPhase phaseOf(const format::Instruction &instruction, std::string_view op);

/// The name of an instruction, or its kind where it has none.
std::string_view nameOf(const format::Instruction &instruction);

} // namespace graphc::runtime

#endif
