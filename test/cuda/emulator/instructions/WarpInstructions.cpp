// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shfl, vote, redux, activemask: what threads of a warp tell each other.
#include "test/cuda/emulator/BlockRun.h"
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

namespace graphc::emulator {

namespace {

enum Shuffle : uint8_t { kUp, kDown, kButterfly, kIndex };

/// The lane that `lane` reads, and whether it is within its segment.
uint32_t partner(uint8_t mode, uint32_t lane, uint32_t by, uint32_t clamp,
                 bool &isInside) {
  uint32_t segment = clamp >> 8 & 31, limit = clamp & 31;
  uint32_t first = lane & segment, last = first | (limit & ~segment);
  uint32_t source = 0;
  by &= 31;
  switch (mode) {
  case kUp:
    source = lane - by;
    isInside = static_cast<int32_t>(source) >= static_cast<int32_t>(last);
    break;
  case kDown:
    source = lane + by;
    isInside = source <= last;
    break;
  case kButterfly:
    source = lane ^ by;
    isInside = source <= last;
    break;
  default:
    source = first | (by & ~segment & 31);
    isInside = source <= last;
  }
  return isInside ? source : lane;
}

bool shuffle(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *inside = warp.row(i.dst[1]),
           *a = warp.row(i.src[0]), *by = warp.row(i.src[1]),
           *clamp = warp.row(i.src[2]);
  uint64_t values[kLanes];
  std::copy(a, a + kLanes, values);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    bool isInside = false;
    uint32_t source = partner(i.mode, lane, static_cast<uint32_t>(by[lane]),
                              static_cast<uint32_t>(clamp[lane]), isInside);
    if (!(lanes >> source & 1))
      return warp.owner().fail(
          warp, i, lane,
          "reads lane " + std::to_string(source) +
              " by a shuffle in which that lane does not take part; its value "
              "is undefined");
    out[lane] = values[source];
    inside[lane] = isInside;
  }
  return true;
}

enum Vote : uint8_t { kAll, kAny, kUniform, kBallot };

bool vote(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  uint32_t yes = 0;
  eachLane(lanes, [&](uint32_t l) {
    yes |= uint32_t{(a[l] & 1) != i.negateLast} << l;
  });
  bool results[] = {yes == lanes, yes != 0, yes == lanes || yes == 0};
  uint64_t result = i.mode == kBallot ? yes : results[i.mode];
  eachLane(lanes, [&](uint32_t l) { out[l] = result; });
  return true;
}

enum Reduction : uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };

template <typename T> T combine(uint8_t mode, T a, T b) {
  switch (mode) {
  case kAdd:
    return static_cast<T>(static_cast<uint32_t>(a) + b);
  case kMin:
    return std::min(a, b);
  case kMax:
    return std::max(a, b);
  case kAnd:
    return a & b;
  case kOr:
    return a | b;
  default:
    return a ^ b;
  }
}

template <typename T>
bool reduce(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  auto first = static_cast<uint32_t>(std::countr_zero(lanes));
  auto result = fromBits<T>(a[first]);
  eachLane(lanes & (lanes - 1), [&](uint32_t l) {
    result = combine(i.mode, result, fromBits<T>(a[l]));
  });
  eachLane(lanes, [&](uint32_t l) {
    out[l] = toBits<uint32_t>(static_cast<uint32_t>(result));
  });
  return true;
}

bool activeMask(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]);
  eachLane(lanes, [&](uint32_t l) { out[l] = lanes; });
  return true;
}

bool nothing(Warp &, const Instruction &, uint32_t) { return true; }

/// `target` is the operand that names the lanes which must be there.
bool syncs(Instruction &instruction, Handler run, int mode, uint32_t mask) {
  instruction.run = run;
  instruction.flow = ControlFlow::Sync;
  instruction.mode = static_cast<uint8_t>(mode);
  instruction.target = mask;
  return mode >= 0;
}

} // namespace

bool findWarp(Opcode &opcode, Instruction &instruction) {
  std::string_view name = opcode.name;
  std::optional<Type> type = opcode.takeType();
  if (name == "activemask") {
    instruction.run = activeMask;
    return true;
  }
  if (!opcode.take("sync"))
    return false;
  if (name == "shfl")
    return syncs(instruction, shuffle,
                 opcode.takeOne({"up", "down", "bfly", "idx"}), 3);
  if (name == "vote")
    return syncs(instruction, vote,
                 opcode.takeOne({"all", "any", "uni", "ballot"}), 1);
  if (name == "redux")
    return syncs(instruction,
                 type == Type::S32 ? reduce<int32_t> : reduce<uint32_t>,
                 opcode.takeOne({"add", "min", "max", "and", "or", "xor"}), 1);
  if (name == "bar" && opcode.take("warp"))
    return syncs(instruction, nothing, 0, 0);
  return false;
}

} // namespace graphc::emulator
