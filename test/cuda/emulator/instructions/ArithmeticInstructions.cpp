// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add, sub, mul, mad, fma, div, rem, min, max, neg, abs, sqrt, rcp, copysign.
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <cmath>
#include <limits>

namespace graphc::emulator {

namespace {

template <typename T> constexpr bool kIsFloat = !std::is_integral_v<T>;

/// Integers wrap around.
template <typename T> auto wrapping(T value) {
  if constexpr (kIsFloat<T>)
    return value;
  else if constexpr (sizeof(T) < 4)
    return static_cast<uint32_t>(value); // no promotion to int
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

struct Add {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
};
struct Sub {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(wrapping(a) - wrapping(b));
  }
};
struct MulLow {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
};
struct MadLow {
  template <typename T> static T apply(T a, T b, T c) {
    return static_cast<T>(wrapping(a) * wrapping(b) + wrapping(c));
  }
};

template <typename T>
using Wide =
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

struct MulHigh {
  template <typename T> static T apply(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MadHigh {
  template <typename T> static T apply(T a, T b, T c) {
    return Add::apply(MulHigh::apply(a, b), c);
  }
};
template <typename R> struct MulWide {
  template <typename T> static R apply(T a, T b) { return R(a) * R(b); }
};
template <typename R> struct MadWide {
  template <typename T> static R apply(T a, T b, R c) {
    return Add::apply<R>(R(a) * R(b), c);
  }
};
struct Fma {
  template <typename T> static T apply(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

/// The product is exact in f64.
struct FmaOfHalves {
  static _Float16 apply(_Float16 a, _Float16 b, _Float16 c) {
    return static_cast<_Float16>(static_cast<double>(a) *
                                     static_cast<double>(b) +
                                 static_cast<double>(c));
  }
};

/// A GPU does not stop at a division by zero: all bits are set.
struct Div {
  template <typename T> static T apply(T a, T b) {
    if constexpr (kIsFloat<T>)
      return a / b;
    else
      return b == 0 ? static_cast<T>(-1)
                    : static_cast<T>(Wide<T>(a) / Wide<T>(b));
  }
};
struct Rem {
  template <typename T> static T apply(T a, T b) {
    return b == 0 ? a : static_cast<T>(Wide<T>(a) % Wide<T>(b));
  }
};

/// Of a number and a NaN, the number; -0 is below +0.
struct Min {
  template <typename T> static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      if (a == b)
        return std::signbit(a) ? a : b;
      return std::fmin(a, b);
    } else {
      return std::min(a, b);
    }
  }
};
struct Max {
  template <typename T> static T apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      if (a == b)
        return std::signbit(a) ? b : a;
      return std::fmax(a, b);
    } else {
      return std::max(a, b);
    }
  }
};
/// The forms `.NaN`: one NaN makes the result one.
template <typename Op> struct KeepNan {
  template <typename T> static T apply(T a, T b) {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN()
                            : Op::apply(a, b);
  }
};

struct Neg {
  template <typename T> static T apply(T a) {
    if constexpr (kIsFloat<T>)
      return -a;
    else
      return static_cast<T>(0 - wrapping(a));
  }
};
struct Abs {
  template <typename T> static T apply(T a) {
    if constexpr (kIsFloat<T>)
      return std::fabs(a);
    else
      return a < 0 ? Neg::apply(a) : a;
  }
};
struct Sqrt {
  template <typename T> static T apply(T a) { return std::sqrt(a); }
};
struct Reciprocal {
  template <typename T> static T apply(T a) { return T(1) / a; }
};
/// copysign.f32 d, a, b: the sign of a, the rest of b.
struct CopySign {
  template <typename T> static T apply(T a, T b) { return std::copysign(b, a); }
};

/// Of f16: what is rounded to f32 first, then to f16, is the nearest f16, since
/// f32 has more than twice as many digits.
template <typename Op> struct OfHalves {
  template <typename... T> static _Float16 apply(T... operands) {
    return static_cast<_Float16>(Op::apply(static_cast<float>(operands)...));
  }
};

template <typename Op> Handler binaryInteger(Type type) {
  switch (type) {
  case Type::U16:
    return computeBinary<Op, uint16_t, uint16_t>;
  case Type::S16:
    return computeBinary<Op, int16_t, int16_t>;
  case Type::U32:
    return computeBinary<Op, uint32_t, uint32_t>;
  case Type::S32:
    return computeBinary<Op, int32_t, int32_t>;
  case Type::U64:
    return computeBinary<Op, uint64_t, uint64_t>;
  case Type::S64:
    return computeBinary<Op, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

template <typename Op> Handler binaryFloat(Type type) {
  switch (type) {
  case Type::F16:
    return computeBinary<OfHalves<Op>, _Float16, _Float16>;
  case Type::F32:
    return computeBinary<Op, float, float>;
  case Type::F64:
    return computeBinary<Op, double, double>;
  default:
    return nullptr;
  }
}

template <typename Op> Handler binary(Type type) {
  return isFloat(type) ? binaryFloat<Op>(type) : binaryInteger<Op>(type);
}

template <typename Op> Handler unaryFloat(Type type) {
  switch (type) {
  case Type::F16:
    return computeUnary<OfHalves<Op>, _Float16, _Float16>;
  case Type::F32:
    return computeUnary<Op, float, float>;
  case Type::F64:
    return computeUnary<Op, double, double>;
  default:
    return nullptr;
  }
}

template <typename Op> Handler unary(Type type) {
  switch (type) {
  case Type::S16:
    return computeUnary<Op, int16_t, int16_t>;
  case Type::S32:
    return computeUnary<Op, int32_t, int32_t>;
  case Type::S64:
    return computeUnary<Op, int64_t, int64_t>;
  default:
    return unaryFloat<Op>(type);
  }
}

template <typename Op> Handler ternaryInteger(Type type) {
  switch (type) {
  case Type::U16:
    return computeTernary<Op, uint16_t, uint16_t>;
  case Type::S16:
    return computeTernary<Op, int16_t, int16_t>;
  case Type::U32:
    return computeTernary<Op, uint32_t, uint32_t>;
  case Type::S32:
    return computeTernary<Op, int32_t, int32_t>;
  case Type::U64:
    return computeTernary<Op, uint64_t, uint64_t>;
  case Type::S64:
    return computeTernary<Op, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

Handler fusedMultiplyAdd(Type type) {
  switch (type) {
  case Type::F16:
    return computeTernary<FmaOfHalves, _Float16, _Float16>;
  case Type::F32:
    return computeTernary<Fma, float, float>;
  case Type::F64:
    return computeTernary<Fma, double, double>;
  default:
    return nullptr;
  }
}

Handler mulWide(Type type) {
  switch (type) {
  case Type::U16:
    return computeBinary<MulWide<uint32_t>, uint32_t, uint16_t>;
  case Type::S16:
    return computeBinary<MulWide<int32_t>, int32_t, int16_t>;
  case Type::U32:
    return computeBinary<MulWide<uint64_t>, uint64_t, uint32_t>;
  case Type::S32:
    return computeBinary<MulWide<int64_t>, int64_t, int32_t>;
  default:
    return nullptr;
  }
}

Handler madWide(Type type) {
  switch (type) {
  case Type::U16:
    return computeTernary<MadWide<uint32_t>, uint32_t, uint16_t>;
  case Type::S16:
    return computeTernary<MadWide<int32_t>, int32_t, int16_t>;
  case Type::U32:
    return computeTernary<MadWide<uint64_t>, uint64_t, uint32_t>;
  case Type::S32:
    return computeTernary<MadWide<int64_t>, int64_t, int32_t>;
  default:
    return nullptr;
  }
}

Handler multiply(Opcode &opcode, Type type) {
  if (isFloat(type))
    return binaryFloat<MulLow>(type);
  if (opcode.take("wide"))
    return mulWide(type);
  if (opcode.take("hi"))
    return binaryInteger<MulHigh>(type);
  return opcode.take("lo") ? binaryInteger<MulLow>(type) : nullptr;
}

Handler multiplyAdd(Opcode &opcode, Type type) {
  if (isFloat(type))
    return fusedMultiplyAdd(type);
  if (opcode.take("wide"))
    return madWide(type);
  if (opcode.take("hi"))
    return ternaryInteger<MadHigh>(type);
  return opcode.take("lo") ? ternaryInteger<MadLow>(type) : nullptr;
}

template <typename Op> Handler extremum(Opcode &opcode, Type type) {
  return opcode.take("NaN") ? binaryFloat<KeepNan<Op>>(type) : binary<Op>(type);
}

Handler handlerOf(Opcode &opcode, Type type) {
  std::string_view name = opcode.name;
  if (name == "add")
    return binary<Add>(type);
  if (name == "sub")
    return binary<Sub>(type);
  if (name == "mul")
    return multiply(opcode, type);
  if (name == "mad")
    return multiplyAdd(opcode, type);
  if (name == "fma")
    return fusedMultiplyAdd(type);
  if (name == "div")
    return binary<Div>(type);
  if (name == "rem")
    return binaryInteger<Rem>(type);
  if (name == "min")
    return extremum<Min>(opcode, type);
  if (name == "max")
    return extremum<Max>(opcode, type);
  if (name == "neg")
    return unary<Neg>(type);
  if (name == "abs")
    return unary<Abs>(type);
  if (name == "sqrt")
    return unaryFloat<Sqrt>(type);
  if (name == "rcp")
    return unaryFloat<Reciprocal>(type);
  if (name == "copysign")
    return binaryFloat<CopySign>(type);
  return nullptr;
}

} // namespace

bool findArithmetic(Opcode &opcode, Instruction &instruction) {
  std::optional<Type> type = opcode.takeType();
  if (!type)
    return false;
  instruction.run = handlerOf(opcode, *type);
  if (!instruction.run)
    return false;
  if (!isFloat(*type))
    return true;
  // Approximations are computed exactly, which is within their error.
  if (opcode.takeOne({"approx", "full"}) < 0) {
    int rounding = opcode.takeOne({"rn", "rz", "rm", "rp"});
    instruction.rounding = static_cast<Rounding>(std::max(rounding, 0));
  }
  instruction.flushDenormals = opcode.take("ftz");
  instruction.saturate = *type == Type::F32 && opcode.take("sat");
  return true;
}

} // namespace graphc::emulator
