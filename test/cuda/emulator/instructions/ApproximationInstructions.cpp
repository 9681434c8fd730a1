// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ex2, lg2, sin, cos, tanh, rsqrt: computed by the host to the last bit but
// one, which is within the error that PTX allows.
#include "test/cuda/emulator/Warp.h"
#include "test/cuda/emulator/instructions/InstructionSet.h"

#include <cmath>

namespace graphc::emulator {

namespace {

struct Exp2 {
  template <typename T> static T apply(T a) { return std::exp2(a); }
};
struct Log2 {
  template <typename T> static T apply(T a) { return std::log2(a); }
};
struct Sin {
  template <typename T> static T apply(T a) { return std::sin(a); }
};
struct Cos {
  template <typename T> static T apply(T a) { return std::cos(a); }
};
struct Tanh {
  template <typename T> static T apply(T a) { return std::tanh(a); }
};
struct ReciprocalSqrt {
  template <typename T> static T apply(T a) { return T(1) / std::sqrt(a); }
};

Handler handlerOf(std::string_view name, Type type) {
  if (name == "rsqrt" && type == Type::F64)
    return computeUnary<ReciprocalSqrt, double, double>;
  if (type != Type::F32)
    return nullptr;
  if (name == "ex2")
    return computeUnary<Exp2, float, float>;
  if (name == "lg2")
    return computeUnary<Log2, float, float>;
  if (name == "sin")
    return computeUnary<Sin, float, float>;
  if (name == "cos")
    return computeUnary<Cos, float, float>;
  if (name == "tanh")
    return computeUnary<Tanh, float, float>;
  if (name == "rsqrt")
    return computeUnary<ReciprocalSqrt, float, float>;
  return nullptr;
}

} // namespace

bool findApproximation(Opcode &opcode, Instruction &instruction) {
  std::optional<Type> type = opcode.takeType();
  if (!type || !opcode.take("approx"))
    return false;
  instruction.run = handlerOf(opcode.name, *type);
  instruction.flushDenormals = opcode.take("ftz");
  return instruction.run != nullptr;
}

} // namespace graphc::emulator
