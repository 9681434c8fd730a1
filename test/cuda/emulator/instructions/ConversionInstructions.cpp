// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt between integers, floats and both.
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <cmath>
#include <limits>

namespace graphc::emulator {

namespace {

enum Mode : uint8_t { kPlain, kToIntegral, kClamped };

template <typename To> To clampInteger(__int128 value) {
  using Limits = std::numeric_limits<To>;
  return static_cast<To>(std::min<__int128>(
      std::max<__int128>(value, Limits::min()), Limits::max()));
}

/// Out of range is the nearest that there is; NaN is 0.
template <typename To> To toInteger(double value) {
  using Limits = std::numeric_limits<To>;
  if (value != value)
    return 0;
  if (value <= static_cast<double>(Limits::min()))
    return Limits::min();
  if (value >= static_cast<double>(Limits::max()))
    return Limits::max();
  return static_cast<To>(value);
}

/// The host's rounding is the instruction's.
template <typename To, typename From> To convertOne(From value, uint8_t mode) {
  constexpr bool toFloat = !std::is_integral_v<To>;
  constexpr bool fromFloat = !std::is_integral_v<From>;
  if constexpr (fromFloat && !toFloat)
    return toInteger<To>(std::nearbyint(static_cast<double>(value)));
  else if constexpr (fromFloat && toFloat)
    return mode == kToIntegral
               ? static_cast<To>(std::nearbyint(static_cast<double>(value)))
               : static_cast<To>(value);
  else if constexpr (toFloat)
    return static_cast<To>(value);
  else
    return mode == kClamped ? clampInteger<To>(value) : static_cast<To>(value);
}

template <typename To, typename From>
bool convert(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]);
  eachLane(lanes, [&](uint32_t l) {
    out[l] = toBits<To>(convertOne<To, From>(fromBits<From>(a[l]), i.mode));
  });
  return true;
}

template <typename To> Handler from(Type type) {
  switch (type) {
  case Type::U8:
  case Type::B8:
    return convert<To, uint8_t>;
  case Type::U16:
  case Type::B16:
    return convert<To, uint16_t>;
  case Type::U32:
  case Type::B32:
    return convert<To, uint32_t>;
  case Type::U64:
  case Type::B64:
    return convert<To, uint64_t>;
  case Type::S8:
    return convert<To, int8_t>;
  case Type::S16:
    return convert<To, int16_t>;
  case Type::S32:
    return convert<To, int32_t>;
  case Type::S64:
    return convert<To, int64_t>;
  case Type::F16:
    return convert<To, _Float16>;
  case Type::F32:
    return convert<To, float>;
  case Type::F64:
    return convert<To, double>;
  default:
    return nullptr;
  }
}

Handler fromTo(Type source, Type result) {
  switch (result) {
  case Type::U8:
  case Type::B8:
    return from<uint8_t>(source);
  case Type::U16:
  case Type::B16:
    return from<uint16_t>(source);
  case Type::U32:
  case Type::B32:
    return from<uint32_t>(source);
  case Type::U64:
  case Type::B64:
    return from<uint64_t>(source);
  case Type::S8:
    return from<int8_t>(source);
  case Type::S16:
    return from<int16_t>(source);
  case Type::S32:
    return from<int32_t>(source);
  case Type::S64:
    return from<int64_t>(source);
  case Type::F16:
    return from<_Float16>(source);
  case Type::F32:
    return from<float>(source);
  case Type::F64:
    return from<double>(source);
  default:
    return nullptr;
  }
}

/// cvt.f16x2.f32 d, a, b: both as f16, a above b.
bool packHalves(Warp &warp, const Instruction &i, uint32_t lanes) {
  uint64_t *out = warp.row(i.dst[0]), *a = warp.row(i.src[0]),
           *b = warp.row(i.src[1]);
  auto half = [](uint64_t bits) {
    return toBits(static_cast<_Float16>(fromBits<float>(bits)));
  };
  eachLane(lanes, [&](uint32_t l) { out[l] = half(a[l]) << 16 | half(b[l]); });
  return true;
}

} // namespace

bool findConversion(Opcode &opcode, Instruction &instruction) {
  if (opcode.name != "cvt")
    return false;
  std::optional<Type> source = opcode.takeType();
  if (source == Type::F32 && opcode.take("f16x2")) {
    instruction.run = opcode.take("rn") ? packHalves : nullptr;
    return instruction.run != nullptr;
  }
  std::optional<Type> result = opcode.takeType();
  if (!source || !result)
    return false;
  int integral = opcode.takeOne({"rni", "rzi", "rmi", "rpi"});
  int rounding =
      integral >= 0 ? integral : opcode.takeOne({"rn", "rz", "rm", "rp"});
  instruction.rounding = static_cast<Rounding>(std::max(rounding, 0));
  instruction.mode = integral >= 0 ? kToIntegral : kPlain;
  instruction.flushDenormals = opcode.take("ftz");
  if (opcode.take("sat")) {
    if (result == Type::F32)
      instruction.saturate = true;
    else
      instruction.mode = kClamped;
  }
  instruction.run = fromTo(*source, *result);
  return instruction.run != nullptr;
}

} // namespace graphc::emulator
