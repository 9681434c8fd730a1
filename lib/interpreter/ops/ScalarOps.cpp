// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of functions of one and two numbers beyond arithmetic.
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "lib/interpreter/ElementMap.h"

#include <cmath>

namespace graphc::interpreter {

using namespace tfir;

namespace {

int64_t floorDiv64(int64_t x, int64_t y) {
  if (y == 0)
    return 0;
  if (y == -1)
    return neg64(x);
  int64_t quotient = x / y;
  return x % y != 0 && (x % y < 0) != (y < 0) ? quotient - 1 : quotient;
}

int64_t floorMod64(int64_t x, int64_t y) {
  return y == 0 ? 0 : add64(x, neg64(mul64(floorDiv64(x, y), y)));
}

int widthOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::I64:
    return 64;
  case ElementKind::I32:
    return 32;
  default:
    return 8;
  }
}

/// `function` gets the operands and the bits of their type.
template <typename Op, typename Function>
void addBits(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    ElementKind kind = operandKind(op);
    return mapElements(op, frame, [=](llvm::ArrayRef<Element> x) {
      int64_t y = x.size() > 1 ? x[1].integer : 0;
      bool isKnown = x[0].isKnown && (x.size() < 2 || x[1].isKnown);
      return wrap(
          kind, Element::of(function(x[0].integer, y, widthOf(kind)), isKnown));
    });
  });
}

int64_t clampShift(int64_t count, int width) {
  return std::min<int64_t>(std::max<int64_t>(count, 0), width - 1);
}

/// `test` of the value; known where the interval cannot hold another answer.
template <typename Op> void addTest(OpTable &table, bool (*test)(double)) {
  table.add<Op>([=](Op op, Frame &frame) {
    return mapElements(op, frame, [=](llvm::ArrayRef<Element> x) {
      return Element::of(test(x[0].value), !x[0].isAnything());
    });
  });
}

} // namespace

void addScalarOps(OpTable &table) {
  using M = FloatMath;
  addUnary<Expm1Op>(table, &M::expm1);
  addUnary<ErfcOp>(table, &M::erfc);
  addUnary<TanOp>(table, &M::tan);
  addUnary<AsinOp>(table, &M::asin);
  addUnary<AcosOp>(table, &M::acos);
  addUnary<AtanOp>(table, &M::atan);
  addUnary<SinhOp>(table, &M::sinh);
  addUnary<CoshOp>(table, &M::cosh);
  addUnary<AsinhOp>(table, &M::asinh);
  addUnary<AcoshOp>(table, &M::acosh);
  addUnary<AtanhOp>(table, &M::atanh);
  addUnary<RoundOp>(table, &M::rint);
  addUnary<RintOp>(table, &M::rint);
  addUnary<TruncOp>(table, &M::trunc);

  addTest<IsNanOp>(table, [](double x) { return std::isnan(x); });
  addTest<IsInfOp>(table, [](double x) { return std::isinf(x); });
  addTest<IsFiniteOp>(table, [](double x) { return std::isfinite(x); });

  addBinary<FloorDivOp>(table, &M::floordiv, floorDiv64);
  addBinary<FloorModOp>(table, &M::floormod, floorMod64);
  addBinary<ModOp>(table, &M::floormod, floorMod64);
  addBinary<Atan2Op>(table, &M::atan2);

  using I = int64_t;
  addBits<LogicalXorOp>(table, [](I x, I y, int) { return x ^ y; });
  addBits<InvertOp>(table, [](I x, I, int) { return ~x; });
  addBits<BitwiseAndOp>(table, [](I x, I y, int) { return x & y; });
  addBits<BitwiseOrOp>(table, [](I x, I y, int) { return x | y; });
  addBits<BitwiseXorOp>(table, [](I x, I y, int) { return x ^ y; });
  addBits<LeftShiftOp>(table, [](I x, I y, int width) {
    return static_cast<I>(static_cast<uint64_t>(x) << clampShift(y, width));
  });
  addBits<RightShiftOp>(
      table, [](I x, I y, int width) { return x >> clampShift(y, width); });
}

} // namespace graphc::interpreter
