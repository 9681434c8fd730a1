// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of functions of one and two numbers beyond arithmetic.
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "lib/interpreter/ElementMap.h"

#include <algorithm>
#include <cmath>

namespace graphc::interpreter {

using namespace tfir;

namespace {

Integer floorDiv64(Integer x, Integer y) {
  if (y == 0)
    return 0;
  Integer quotient = x / y;
  return x % y != 0 && (x % y < 0) != (y < 0) ? quotient - 1 : quotient;
}

Integer floorMod64(Integer x, Integer y) {
  return y == 0 ? 0 : add64(x, neg64(mul64(floorDiv64(x, y), y)));
}

/// `function` gets the operands and the bits of their type.
template <typename Op, typename Function>
void addBits(OpTable &table, Function function) {
  table.add<Op>([=](Op op, Frame &frame) {
    ElementKind kind = operandKind(op);
    return mapElements(op, frame, [=](llvm::ArrayRef<Element> x) {
      Integer y = x.size() > 1 ? x[1].integer : 0;
      bool isKnown = x[0].isKnown && (x.size() < 2 || x[1].isKnown);
      return wrap(
          kind, Element::of(function(x[0].integer, y, widthOf(kind)), isKnown));
    });
  });
}

int clampShift(Integer count, int width) {
  Integer most = width - 1;
  return static_cast<int>(std::clamp(count, Integer(0), most));
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

  using I = Integer;
  addBits<LogicalXorOp>(table, [](I x, I y, int) { return x ^ y; });
  addBits<InvertOp>(table, [](I x, I, int) { return ~x; });
  addBits<BitwiseAndOp>(table, [](I x, I y, int) { return x & y; });
  addBits<BitwiseOrOp>(table, [](I x, I y, int) { return x | y; });
  addBits<BitwiseXorOp>(table, [](I x, I y, int) { return x ^ y; });
  addBits<LeftShiftOp>(table, [](I x, I y, int width) {
    return I(static_cast<uint64_t>(x) << clampShift(y, width));
  });
  addBits<RightShiftOp>(
      table, [](I x, I y, int width) { return x >> clampShift(y, width); });
}

} // namespace graphc::interpreter
