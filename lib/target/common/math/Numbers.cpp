// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/common/math/Numbers.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace graphc {

static Value constantLike(Numbers &n, Type of, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(of))
    value = DenseElementsAttr::get(vector, ArrayRef<Attribute>(value));
  return arith::ConstantOp::create(n.b, n.loc, value);
}

Value Numbers::number(double value) {
  return constantLike(*this, type,
                      b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value Numbers::integer(int64_t value, unsigned bits) {
  Type element = b.getIntegerType(bits);
  return constantLike(*this, like(element), b.getIntegerAttr(element, value));
}

Type Numbers::like(Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Value Numbers::add(Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}

Value Numbers::sub(Value x, Value y) {
  return arith::SubFOp::create(b, loc, x, y);
}

Value Numbers::mul(Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}

Value Numbers::div(Value x, Value y) {
  return arith::DivFOp::create(b, loc, x, y);
}

Value Numbers::neg(Value x) { return arith::NegFOp::create(b, loc, x); }

Value Numbers::abs(Value x) { return math::AbsFOp::create(b, loc, x); }

Value Numbers::sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }

Value Numbers::roundEven(Value x) {
  return math::RoundEvenOp::create(b, loc, x);
}

Value Numbers::copySign(Value x, Value sign) {
  return math::CopySignOp::create(b, loc, x, sign);
}

Value Numbers::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}

Value Numbers::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.front());
  for (double next : coefficients.drop_front())
    sum = fma(sum, x, number(next));
  return sum;
}

Value Numbers::compare(Predicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}

Value Numbers::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value Numbers::clamp(Value x, double low, double high) {
  x = select(compare(Predicate::OLT, x, low), number(low), x);
  return select(compare(Predicate::OGT, x, high), number(high), x);
}

} // namespace graphc
