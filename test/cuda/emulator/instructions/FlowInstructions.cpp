// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, barriers and fences; the mode of the host's arithmetic.
#include "test/cuda/emulator/BlockRun.h"
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <xmmintrin.h>

namespace graphc::emulator {

namespace {

bool nothing(Warp &, const Instruction &, uint32_t) { return true; }

bool trap(Warp &warp, const Instruction &i, uint32_t lanes) {
  return warp.owner().fail(warp, i,
                           static_cast<uint32_t>(std::countr_zero(lanes)),
                           "comes to a trap");
}

void takeAll(Opcode &opcode, std::initializer_list<std::string_view> list) {
  for (std::string_view modifier : list)
    opcode.take(modifier);
}

void becomes(Instruction &instruction, ControlFlow flow) {
  instruction.flow = flow;
  instruction.run = nothing;
}

/// The bits of MXCSR: rounding, flush results to zero, take operands as zero.
unsigned hostMode(const Instruction &instruction) {
  constexpr unsigned kRounding[] = {0x0000, 0x6000, 0x2000, 0x4000};
  unsigned mode = kRounding[static_cast<int>(instruction.rounding)];
  return mode | (instruction.flushDenormals ? 0x8040 : 0);
}

} // namespace

bool findFlow(Opcode &opcode, Instruction &instruction) {
  std::string_view name = opcode.name;
  if (name == "bra")
    becomes(instruction, ControlFlow::Branch);
  else if (name == "brx" && opcode.take("idx"))
    becomes(instruction, ControlFlow::BranchTable);
  else if (name == "ret" || name == "exit")
    becomes(instruction, ControlFlow::Exit);
  else if ((name == "bar" || name == "barrier") && opcode.take("sync"))
    becomes(instruction, ControlFlow::Barrier);
  else if (name == "membar" || name == "fence" || name == "prefetch")
    becomes(instruction, ControlFlow::Next);
  else if (name == "trap")
    instruction.run = trap;
  else
    return false;
  takeAll(opcode, {"uni", "cta", "aligned", "gl", "sys", "gpu", "sc", "acq_rel",
                   "acquire", "release", "global", "L1", "L2"});
  return true;
}

bool runInMode(Warp &warp, const Instruction &i, uint32_t lanes) {
  unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~0xe040u) | hostMode(i));
  bool isDone = i.inner(warp, i, lanes);
  _mm_setcsr(before);
  if (i.saturate) {
    uint64_t *out = warp.row(i.dst[0]);
    eachLane(lanes, [&](uint32_t l) {
      auto value = fromBits<float>(out[l]);
      out[l] = toBits(value > 0 ? std::min(value, 1.0f) : 0.0f);
    });
  }
  return isDone;
}

} // namespace graphc::emulator
