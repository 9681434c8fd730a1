// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// and, or, xor, not, cnot, shl, shr, shf, bfe, bfi, brev, prmt, popc, clz,
// lop3.
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <bit>

namespace graphc::emulator {

namespace {

struct And {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <typename T> static T apply(T a) { return static_cast<T>(~a); }
};
struct IsZero {
  template <typename T> static T apply(T a) { return a == 0; }
};
struct CountOnes {
  template <typename T> static uint32_t apply(T a) { return std::popcount(a); }
};
struct CountLeadingZeros {
  template <typename T> static uint32_t apply(T a) {
    return std::countl_zero(a);
  }
};
struct ReverseBits {
  template <typename T> static T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i, a >>= 1)
      result = static_cast<T>(result << 1 | (a & 1));
    return result;
  }
};

/// The second operand of a shift has 32 bits; one that is too large shifts all
/// out.
struct ShiftLeft {
  template <typename T> static T apply(T a, uint32_t by) {
    return by >= 8 * sizeof(T) ? 0 : static_cast<T>(a << by);
  }
};
struct ShiftRight {
  template <typename T> static T apply(T a, uint32_t by) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    if (by >= kBits)
      return std::is_signed_v<T> ? static_cast<T>(a >> (kBits - 1)) : 0;
    return static_cast<T>(a >> by);
  }
};

template <typename Op, typename T>
bool shift(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *by = warp.row(i.src[1]);
  eachLane(lanes, [&](uint32_t l) {
    out[l] =
        toBits<T>(Op::apply(fromBits<T>(a[l]), static_cast<uint32_t>(by[l])));
  });
  return true;
}

template <bool Left> struct Funnel {
  static uint32_t apply(uint32_t low, uint32_t high, uint32_t by) {
    uint64_t both = uint64_t{high} << 32 | low;
    return static_cast<uint32_t>(Left ? both << by >> 32 : both >> by);
  }
};
template <bool Left> struct WrapFunnel {
  static uint32_t apply(uint32_t low, uint32_t high, uint32_t by) {
    return Funnel<Left>::apply(low, high, by & 31);
  }
};
template <bool Left> struct ClampFunnel {
  static uint32_t apply(uint32_t low, uint32_t high, uint32_t by) {
    return Funnel<Left>::apply(low, high, std::min(by, 32u));
  }
};

/// Bits [at, at + length) of a; past the end, a signed field repeats its sign.
template <typename T>
bool extract(Warp &warp, const Instruction &i, uint32_t lanes) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *at = warp.row(i.src[1]), *length = warp.row(i.src[2]);
  eachLane(lanes, [&](uint32_t l) {
    uint32_t begin = at[l] & 0xff, count = length[l] & 0xff;
    T value = ShiftRight::apply(fromBits<T>(a[l]), begin);
    if (count == 0)
      value = 0;
    else if (count < kBits)
      value = ShiftRight::apply(static_cast<T>(value << (kBits - count)),
                                kBits - count);
    out[l] = toBits<T>(value);
  });
  return true;
}

template <typename T>
bool insert(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]), *at = warp.row(i.src[2]),
           *length = warp.row(i.src[3]);
  eachLane(lanes, [&](uint32_t l) {
    uint32_t begin = at[l] & 0xff, count = length[l] & 0xff;
    T mask = ShiftLeft::apply(static_cast<T>(ShiftLeft::apply(T(1), count) - 1),
                              begin);
    out[l] = (fromBits<T>(b[l]) & ~mask) |
             (ShiftLeft::apply(fromBits<T>(a[l]), begin) & mask);
  });
  return true;
}

/// Each nibble of the selector picks a byte of {b, a}, or spreads its sign.
struct Permute {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t pick = selector >> (4 * i) & 0xf;
      uint32_t byte = bytes >> (8 * (pick & 7)) & 0xff;
      if (pick & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};

/// Any function of three bits, as a table of eight.
bool lookUp3(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]), *c = warp.row(i.src[2]),
           *table = warp.row(i.src[3]);
  eachLane(lanes, [&](uint32_t l) {
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      unsigned row =
          (a[l] >> bit & 1) << 2 | (b[l] >> bit & 1) << 1 | (c[l] >> bit & 1);
      result |= static_cast<uint32_t>(table[l] >> row & 1) << bit;
    }
    out[l] = result;
  });
  return true;
}

template <typename Op> Handler bitwise(Type type) {
  switch (type) {
  case Type::Pred:
    return computeBinary<Op, uint8_t, uint8_t>;
  case Type::B16:
    return computeBinary<Op, uint16_t, uint16_t>;
  case Type::B32:
    return computeBinary<Op, uint32_t, uint32_t>;
  case Type::B64:
    return computeBinary<Op, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}

template <typename Op> Handler unary(Type type) {
  switch (type) {
  case Type::B16:
    return computeUnary<Op, uint16_t, uint16_t>;
  case Type::B32:
    return computeUnary<Op, uint32_t, uint32_t>;
  case Type::B64:
    return computeUnary<Op, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}

template <typename Op> Handler count(Type type) {
  switch (type) {
  case Type::B32:
    return computeUnary<Op, uint32_t, uint32_t>;
  case Type::B64:
    return computeUnary<Op, uint32_t, uint64_t>;
  default:
    return nullptr;
  }
}

template <typename Op> Handler shiftOf(Type type) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return shift<Op, uint16_t>;
  case Type::B32:
  case Type::U32:
    return shift<Op, uint32_t>;
  case Type::B64:
  case Type::U64:
    return shift<Op, uint64_t>;
  case Type::S16:
    return shift<Op, int16_t>;
  case Type::S32:
    return shift<Op, int32_t>;
  case Type::S64:
    return shift<Op, int64_t>;
  default:
    return nullptr;
  }
}

Handler funnel(Opcode &opcode) {
  bool left = opcode.take("l");
  if (!left && !opcode.take("r"))
    return nullptr;
  if (opcode.take("wrap"))
    return left ? computeTernary<WrapFunnel<true>, uint32_t, uint32_t>
                : computeTernary<WrapFunnel<false>, uint32_t, uint32_t>;
  if (opcode.take("clamp"))
    return left ? computeTernary<ClampFunnel<true>, uint32_t, uint32_t>
                : computeTernary<ClampFunnel<false>, uint32_t, uint32_t>;
  return nullptr;
}

Handler extractOf(Type type) {
  switch (type) {
  case Type::U32:
    return extract<uint32_t>;
  case Type::S32:
    return extract<int32_t>;
  case Type::U64:
    return extract<uint64_t>;
  case Type::S64:
    return extract<int64_t>;
  default:
    return nullptr;
  }
}

Handler handlerOf(Opcode &opcode, Type type) {
  std::string_view name = opcode.name;
  bool is32 = type == Type::B32;
  if (name == "and")
    return bitwise<And>(type);
  if (name == "or")
    return bitwise<Or>(type);
  if (name == "xor")
    return bitwise<Xor>(type);
  if (name == "not")
    return type == Type::Pred ? computeUnary<IsZero, uint8_t, uint8_t>
                              : unary<Not>(type);
  if (name == "cnot")
    return unary<IsZero>(type);
  if (name == "shl")
    return shiftOf<ShiftLeft>(type);
  if (name == "shr")
    return shiftOf<ShiftRight>(type);
  if (name == "shf")
    return is32 ? funnel(opcode) : nullptr;
  if (name == "bfe")
    return extractOf(type);
  if (name == "bfi")
    return is32                ? insert<uint32_t>
           : type == Type::B64 ? insert<uint64_t>
                               : nullptr;
  if (name == "brev")
    return unary<ReverseBits>(type);
  if (name == "prmt")
    return is32 ? computeTernary<Permute, uint32_t, uint32_t> : nullptr;
  if (name == "popc")
    return count<CountOnes>(type);
  if (name == "clz")
    return count<CountLeadingZeros>(type);
  if (name == "lop3")
    return is32 ? lookUp3 : nullptr;
  return nullptr;
}

} // namespace

bool findBits(Opcode &opcode, Instruction &instruction) {
  std::optional<Type> type = opcode.takeType();
  if (type)
    instruction.run = handlerOf(opcode, *type);
  return instruction.run != nullptr;
}

} // namespace graphc::emulator
