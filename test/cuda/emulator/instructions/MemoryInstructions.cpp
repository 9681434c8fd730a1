// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ld and st of all spaces, single and in vectors; atom and red.
#include "test/cuda/emulator/BlockRun.h"
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <cstring>

namespace graphc::emulator {

namespace {

uint64_t signExtended(uint64_t bits, uint8_t bytes) {
  unsigned unused = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

bool load(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *base = warp.row(i.src[0]);
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint8_t *data = warp.owner().access(
        warp, i, lane, base[lane] + static_cast<uint64_t>(i.offset),
        AccessKind::Read);
    if (!data)
      return false;
    for (uint32_t e = 0; e < i.elements; ++e) {
      uint64_t bits = 0;
      std::memcpy(&bits, data + size_t{e} * i.bytes, i.bytes);
      warp.row(i.dst[e])[lane] =
          i.isSigned ? signExtended(bits, i.bytes) : bits;
    }
  }
  return true;
}

bool store(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *base = warp.row(i.src[0]);
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    uint8_t *data = warp.owner().access(
        warp, i, lane, base[lane] + static_cast<uint64_t>(i.offset),
        AccessKind::Write);
    if (!data)
      return false;
    for (uint32_t e = 0; e < i.elements; ++e)
      std::memcpy(data + size_t{e} * i.bytes, &warp.row(i.src[e + 1])[lane],
                  i.bytes);
  }
  return true;
}

struct Add {
  template <typename T> static T apply(T old, T a, T) {
    return static_cast<T>(old + a);
  }
};
struct Min {
  template <typename T> static T apply(T old, T a, T) {
    return std::min(old, a);
  }
};
struct Max {
  template <typename T> static T apply(T old, T a, T) {
    return std::max(old, a);
  }
};
struct Exchange {
  template <typename T> static T apply(T, T a, T) { return a; }
};
struct CompareAndSwap {
  template <typename T> static T apply(T old, T a, T b) {
    return old == a ? b : old;
  }
};
struct And {
  template <typename T> static T apply(T old, T a, T) { return old & a; }
};
struct Or {
  template <typename T> static T apply(T old, T a, T) { return old | a; }
};
struct Xor {
  template <typename T> static T apply(T old, T a, T) { return old ^ a; }
};
struct Increment {
  template <typename T> static T apply(T old, T a, T) {
    return old >= a ? 0 : old + 1;
  }
};
struct Decrement {
  template <typename T> static T apply(T old, T a, T) {
    return old == 0 || old > a ? a : old - 1;
  }
};

template <typename Op, typename T>
bool atomic(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *base = warp.row(i.src[0]), *a = warp.row(i.src[1]),
           *b = warp.row(i.src[2]), *out = warp.row(i.dst[0]);
  for (; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    uint8_t *data = warp.owner().access(
        warp, i, lane, base[lane] + static_cast<uint64_t>(i.offset),
        AccessKind::Atomic);
    if (!data)
      return false;
    T old;
    std::memcpy(&old, data, sizeof(T));
    T value = Op::apply(old, fromBits<T>(a[lane]), fromBits<T>(b[lane]));
    std::memcpy(data, &value, sizeof(T));
    out[lane] = toBits<T>(old);
  }
  return true;
}

template <typename Op> Handler integer(Type type) {
  switch (type) {
  case Type::B32:
  case Type::U32:
    return atomic<Op, uint32_t>;
  case Type::B64:
  case Type::U64:
    return atomic<Op, uint64_t>;
  case Type::S32:
    return atomic<Op, int32_t>;
  case Type::S64:
    return atomic<Op, int64_t>;
  default:
    return nullptr;
  }
}

Handler addOf(Type type) {
  switch (type) {
  case Type::F32:
    return atomic<Add, float>;
  case Type::F64:
    return atomic<Add, double>;
  default:
    return integer<Add>(type);
  }
}

Handler atomicOf(Opcode &opcode, Type type) {
  switch (opcode.takeOne(
      {"add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec"})) {
  case 0:
    return addOf(type);
  case 1:
    return integer<Min>(type);
  case 2:
    return integer<Max>(type);
  case 3:
    return integer<Exchange>(type);
  case 4:
    return integer<CompareAndSwap>(type);
  case 5:
    return integer<And>(type);
  case 6:
    return integer<Or>(type);
  case 7:
    return integer<Xor>(type);
  case 8:
    return integer<Increment>(type);
  case 9:
    return integer<Decrement>(type);
  default:
    return nullptr;
  }
}

void takeSpace(Opcode &opcode, Instruction &instruction) {
  switch (opcode.takeOne({"global", "shared", "shared::cta", "local", "param",
                          "param::entry", "const"})) {
  case 0:
    instruction.space = StateSpace::Global;
    break;
  case 1:
  case 2:
    instruction.space = StateSpace::Shared;
    break;
  case 3:
    instruction.space = StateSpace::Local;
    break;
  case 4:
  case 5:
    instruction.space = StateSpace::Param;
    break;
  case 6:
    instruction.space = StateSpace::Const;
    break;
  default:
    instruction.space = StateSpace::Generic;
  }
}

/// Order and scope change nothing where threads run one after the other.
void takeOrder(Opcode &opcode) {
  opcode.takeOne(
      {"weak", "relaxed", "acquire", "release", "acq_rel", "volatile"});
  opcode.takeOne({"cta", "gpu", "sys"});
}

void takeCacheHints(Opcode &opcode) {
  opcode.takeOne({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  opcode.takeOne({"L1::evict_normal", "L1::evict_last", "L1::evict_first",
                  "L1::no_allocate", "L1::evict_unchanged"});
  opcode.takeOne({"L2::64B", "L2::128B", "L2::256B"});
}

} // namespace

bool findMemory(Opcode &opcode, Instruction &instruction) {
  bool isLoad = opcode.name == "ld";
  if (!isLoad && opcode.name != "st" && opcode.name != "ldu")
    return false;
  std::optional<Type> type = opcode.takeType();
  if (!type)
    return false;
  instruction.run = opcode.name == "st" ? store : load;
  instruction.bytes = bytesOf(*type);
  instruction.isSigned = isSignedInteger(*type);
  takeOrder(opcode);
  takeSpace(opcode, instruction);
  takeCacheHints(opcode);
  opcode.take("nc");
  int vector = opcode.takeOne({"v2", "v4"});
  instruction.elements = static_cast<uint8_t>(vector < 0 ? 1 : 2 << vector);
  return true;
}

bool findAtomic(Opcode &opcode, Instruction &instruction) {
  if (opcode.name != "atom" && opcode.name != "red")
    return false;
  std::optional<Type> type = opcode.takeType();
  if (!type)
    return false;
  instruction.bytes = bytesOf(*type);
  takeOrder(opcode);
  takeSpace(opcode, instruction);
  instruction.run = atomicOf(opcode, *type);
  return instruction.run != nullptr;
}

} // namespace graphc::emulator
