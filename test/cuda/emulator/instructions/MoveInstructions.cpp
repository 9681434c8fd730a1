// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mov, also of {low, high}; cvta between a state space and generic addresses.
#include "test/cuda/emulator/AddressSpace.h"
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

namespace graphc::emulator {

namespace {

bool move(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  eachLane(lanes, [&](uint32_t l) { out[l] = a[l]; });
  return true;
}

uint64_t lowBits(uint32_t bits) {
  return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

bool pack(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint32_t bits = 8u * i.bytes / i.elements;
  uint64_t *out = warp.row(i.dst[0]);
  eachLane(lanes, [&](uint32_t l) {
    uint64_t value = 0;
    for (uint32_t e = 0; e < i.elements; ++e)
      value |= (warp.row(i.src[e])[l] & lowBits(bits)) << (bits * e);
    out[l] = value;
  });
  return true;
}

bool unpack(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint32_t bits = 8u * i.bytes / i.elements;
  uint64_t *a = warp.row(i.src[0]);
  eachLane(lanes, [&](uint32_t l) {
    uint64_t value = a[l];
    for (uint32_t e = 0; e < i.elements; ++e)
      warp.row(i.dst[e])[l] = value >> (bits * e) & lowBits(bits);
  });
  return true;
}

bool addWindow(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  eachLane(lanes, [&](uint32_t l) {
    out[l] = a[l] + static_cast<uint64_t>(i.offset);
  });
  return true;
}

} // namespace

void chooseMove(Instruction &instruction, bool packs, bool unpacks) {
  if (instruction.run == move && (packs || unpacks))
    instruction.run = packs ? pack : unpack;
}

bool findMove(Opcode &opcode, Instruction &instruction) {
  std::optional<Type> type = opcode.takeType();
  if (!type)
    return false;
  instruction.bytes = bytesOf(*type);
  if (opcode.name == "mov") {
    instruction.run = move;
  } else if (opcode.name == "cvta") {
    bool toSpace = opcode.take("to");
    int space = opcode.takeOne({"global", "const", "shared", "local"});
    if (space < 0)
      return false;
    uint64_t windows[] = {0, 0, kSharedWindow, kLocalWindow};
    instruction.offset = static_cast<int64_t>(windows[space]);
    if (toSpace)
      instruction.offset = -instruction.offset;
    instruction.run = addWindow;
  }
  return instruction.run != nullptr;
}

} // namespace graphc::emulator
