// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/InstructionWork.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"

#include <numeric>

namespace graphc::runtime {

InstructionWork workOf(const format::Model &model,
                       const format::Program &program,
                       const format::Instruction &instruction) {
  if (const auto *dispatch = instruction.action_as_Dispatch()) {
    const format::Kernel &kernel = *model.kernels()->Get(dispatch->kernel());
    return {kernel.flops(), kernel.bytes()};
  }
  InstructionWork work;
  auto add = [&](uint32_t slot) {
    work.bytes += static_cast<double>(program.slots()->Get(slot)->size());
  };
  // What is received was written by its sender.
  if (!edgesOf(instruction).edges || edgesOf(instruction).isSend)
    forEachWrite(instruction, add);
  if (instruction.action_as_Copy())
    forEachOperand(instruction, add);
  if (edgesOf(instruction).isSend)
    for (int side = 0; side < 2; ++side) // read here, written there
      forEachOperand(instruction, add);
  return work;
}

std::string_view nameOf(const format::Instruction &instruction) {
  std::string_view name = viewOf(instruction.name());
  return name.empty() ? format::EnumNameAction(instruction.action_type())
                      : name;
}

std::vector<OpShare> sharesOf(const format::Instruction &instruction) {
  const format::FusedOps *ops = instruction.ops();
  if (!ops || ops->names()->size() == 0) {
    const format::Location *place = instruction.location();
    return {{nameOf(instruction), place ? place->line() : 0, 1}};
  }
  double sum = std::accumulate(ops->work()->begin(), ops->work()->end(), 0.0);
  uint32_t count = ops->names()->size();
  std::vector<OpShare> shares;
  for (uint32_t i = 0; i < count; ++i)
    shares.push_back({viewOf(ops->names()->Get(i)), ops->lines()->Get(i),
                      sum > 0 ? ops->work()->Get(i) / sum : 1.0 / count});
  return shares;
}

StepPhase phaseOf(const format::Instruction &instruction, std::string_view op) {
  if (edgesOf(instruction).edges || instruction.action_as_AllReduce())
    return StepPhase::Transfer;
  if (nextBatchOf(instruction))
    return StepPhase::Input;
  // Variables are written by copies, under the name of the variable.
  if (instruction.action_as_Copy() && op.find('/') == op.npos)
    return StepPhase::Update;
  return phaseOfName(op);
}

} // namespace graphc::runtime
