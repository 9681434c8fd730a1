// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setp, set, selp, testp.
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <cmath>

namespace graphc::emulator {

namespace {

struct Equal {
  template <typename T> static bool apply(T a, T b) { return a == b; }
};
struct NotEqual {
  template <typename T> static bool apply(T a, T b) { return a < b || a > b; }
};
struct Less {
  template <typename T> static bool apply(T a, T b) { return a < b; }
};
struct LessEqual {
  template <typename T> static bool apply(T a, T b) { return a <= b; }
};
struct Greater {
  template <typename T> static bool apply(T a, T b) { return a > b; }
};
struct GreaterEqual {
  template <typename T> static bool apply(T a, T b) { return a >= b; }
};
struct BothNumbers {
  template <typename T> static bool apply(T a, T b) { return a == a && b == b; }
};
/// The forms with `u` are true where an operand is NaN: what is not the
/// opposite.
template <typename Op> struct NotThe {
  template <typename T> static bool apply(T a, T b) { return !Op::apply(a, b); }
};

enum Combine : uint8_t { kAlone, kAnd, kOr, kXor };

bool combine(uint8_t how, bool a, bool b) {
  switch (how) {
  case kAnd:
    return a && b;
  case kOr:
    return a || b;
  case kXor:
    return a != b;
  default:
    return a;
  }
}

/// The second result is that of the opposite comparison.
template <typename Op, typename T>
bool compare(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *opposite = warp.row(i.dst[1]),
           *a = warp.row(i.src[0]), *b = warp.row(i.src[1]),
           *other = warp.row(i.src[2]);
  eachLane(lanes, [&](uint32_t l) {
    bool holds = Op::apply(fromBits<T>(a[l]), fromBits<T>(b[l]));
    bool second = (other[l] & 1) != i.negateLast;
    out[l] = combine(i.mode, holds, second);
    opposite[l] = combine(i.mode, !holds, second);
  });
  return true;
}

/// set: all bits of an integer, or 1.0.
template <typename Op, typename T>
bool compareToMask(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]);
  eachLane(lanes, [&](uint32_t l) {
    bool holds = Op::apply(fromBits<T>(a[l]), fromBits<T>(b[l]));
    out[l] = !holds ? 0 : i.isSigned ? toBits(1.0f) : 0xffffffffu;
  });
  return true;
}

template <typename Op, typename T> Handler either(bool toMask) {
  return toMask ? compareToMask<Op, T> : compare<Op, T>;
}

template <typename Op> Handler ofType(Type type, bool toMask) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return either<Op, uint16_t>(toMask);
  case Type::B32:
  case Type::U32:
    return either<Op, uint32_t>(toMask);
  case Type::B64:
  case Type::U64:
    return either<Op, uint64_t>(toMask);
  case Type::S16:
    return either<Op, int16_t>(toMask);
  case Type::S32:
    return either<Op, int32_t>(toMask);
  case Type::S64:
    return either<Op, int64_t>(toMask);
  case Type::F16:
    return either<Op, _Float16>(toMask);
  case Type::F32:
    return either<Op, float>(toMask);
  case Type::F64:
    return either<Op, double>(toMask);
  default:
    return nullptr;
  }
}

Handler comparison(Opcode &opcode, Type type, bool toMask) {
  switch (opcode.takeOne({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi",
                          "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num",
                          "nan"})) {
  case 0:
    return ofType<Equal>(type, toMask);
  case 1:
    return ofType<NotEqual>(type, toMask);
  case 2:
  case 6:
    return ofType<Less>(type, toMask);
  case 3:
  case 7:
    return ofType<LessEqual>(type, toMask);
  case 4:
  case 8:
    return ofType<Greater>(type, toMask);
  case 5:
  case 9:
    return ofType<GreaterEqual>(type, toMask);
  case 10:
    return ofType<NotThe<NotEqual>>(type, toMask);
  case 11:
    return ofType<NotThe<Equal>>(type, toMask);
  case 12:
    return ofType<NotThe<GreaterEqual>>(type, toMask);
  case 13:
    return ofType<NotThe<Greater>>(type, toMask);
  case 14:
    return ofType<NotThe<LessEqual>>(type, toMask);
  case 15:
    return ofType<NotThe<Less>>(type, toMask);
  case 16:
    return ofType<BothNumbers>(type, toMask);
  case 17:
    return ofType<NotThe<BothNumbers>>(type, toMask);
  default:
    return nullptr;
  }
}

bool select(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]), *which = warp.row(i.src[2]);
  eachLane(lanes, [&](uint32_t l) { out[l] = which[l] & 1 ? a[l] : b[l]; });
  return true;
}

enum Class : uint8_t { kFinite, kInfinite, kNumber, kNan, kNormal, kSubnormal };

template <typename T>
bool testClass(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  eachLane(lanes, [&](uint32_t l) {
    int kind = std::fpclassify(fromBits<T>(a[l]));
    bool results[] = {kind != FP_NAN && kind != FP_INFINITE,
                      kind == FP_INFINITE,
                      kind != FP_NAN,
                      kind == FP_NAN,
                      kind == FP_NORMAL,
                      kind == FP_SUBNORMAL};
    out[l] = results[i.mode];
  });
  return true;
}

} // namespace

bool findComparison(Opcode &opcode, Instruction &instruction) {
  std::string_view name = opcode.name;
  std::optional<Type> type = opcode.takeType();
  if (!type)
    return false;
  if (name == "selp") {
    instruction.run = select;
  } else if (name == "testp") {
    int kind = opcode.takeOne(
        {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    instruction.mode = static_cast<uint8_t>(kind);
    if (kind >= 0 && isFloat(*type))
      instruction.run =
          *type == Type::F32 ? testClass<float> : testClass<double>;
  } else if (name == "setp") {
    instruction.run = comparison(opcode, *type, false);
    instruction.mode =
        static_cast<uint8_t>(opcode.takeOne({"and", "or", "xor"}) + 1);
  } else if (name == "set") {
    std::optional<Type> result = opcode.takeType();
    instruction.isSigned = result == Type::F32;
    instruction.run = result ? comparison(opcode, *type, true) : nullptr;
  }
  instruction.flushDenormals = opcode.take("ftz");
  return instruction.run != nullptr;
}

} // namespace graphc::emulator
