// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/GpuEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace graphc {

namespace {

bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()); }

/// The input of `body` that is the value.
std::optional<unsigned> inputOf(linalg::GenericOp body, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body.getBody() ||
      argument.getArgNumber() >= body.getNumDpsInputs())
    return std::nullopt;
  return argument.getArgNumber();
}

/// One number per element of the innermost loop.
bool isPerColumn(linalg::GenericOp body, unsigned input) {
  AffineMap map = body.getIndexingMapsArray()[input];
  return map.getNumResults() == 1 &&
         map.getResult(0) ==
             getAffineDimExpr(map.getNumDims() - 1, body.getContext());
}

void replace(Operation *op, Value by) {
  op->getResult(0).replaceAllUsesWith(by);
  op->erase();
}

bool takeBias(linalg::GenericOp body, Value product, GpuEpilogue &epilogue) {
  if (!product.hasOneUse())
    return false;
  auto add = dyn_cast<arith::AddFOp>(*product.user_begin());
  if (!add)
    return false;
  Value other = add.getLhs() == product ? add.getRhs() : add.getLhs();
  std::optional<unsigned> input = inputOf(body, other);
  if (!input || other == product || !isPerColumn(body, *input))
    return false;
  epilogue.bias = input;
  replace(add, product);
  return true;
}

/// select(0 > x, 0, x), or its mirror image.
bool takeRelu(Value x) {
  arith::CmpFOp compare;
  arith::SelectOp select;
  for (Operation *user : x.getUsers())
    if (auto op = dyn_cast<arith::CmpFOp>(user); op && !compare)
      compare = op;
    else if (auto op = dyn_cast<arith::SelectOp>(user); op && !select)
      select = op;
    else
      return false;
  if (!compare || !select || select.getCondition() != compare.getResult() ||
      !compare->hasOneUse() || select.getFalseValue() != x ||
      !isZero(select.getTrueValue()))
    return false;
  bool isGreater = compare.getPredicate() == arith::CmpFPredicate::OGT &&
                   isZero(compare.getLhs()) && compare.getRhs() == x;
  bool isLess = compare.getPredicate() == arith::CmpFPredicate::OLT &&
                isZero(compare.getRhs()) && compare.getLhs() == x;
  if (!isGreater && !isLess)
    return false;
  replace(select, x);
  compare.erase();
  return true;
}

std::optional<float> floatConstant(Value value) {
  FloatAttr number;
  if (!matchPattern(value, m_Constant(&number)) || !value.getType().isF32())
    return std::nullopt;
  return number.getValue().convertToFloat();
}

/// The factor of x * constant or constant * x.
std::optional<float> factorOf(arith::MulFOp product, Value x) {
  return floatConstant(product.getLhs() == x ? product.getRhs()
                                             : product.getLhs());
}

} // namespace

GpuEpilogue takeEpilogue(linalg::GenericOp body, unsigned accumulator) {
  using Kind = exec::GpuEpilogue;
  GpuEpilogue epilogue;
  Value product = body.getBody()->getArgument(accumulator);
  bool hasBias = takeBias(body, product, epilogue);
  bool hasRelu = takeRelu(product);
  epilogue.kind = hasBias   ? hasRelu ? Kind::BiasRelu : Kind::Bias
                  : hasRelu ? Kind::Relu
                            : Kind::None;
  return epilogue;
}

std::optional<GpuUpdate> matchUpdate(linalg::GenericOp body,
                                     unsigned accumulator) {
  Value value = body.getBody()->getArgument(accumulator);
  if (body.getNumResults() != 1 || !value.hasOneUse())
    return std::nullopt;
  float scale = 1;
  if (auto product = dyn_cast<arith::MulFOp>(*value.user_begin())) {
    std::optional<float> factor = factorOf(product, value);
    if (!factor || !product->hasOneUse())
      return std::nullopt;
    scale = *factor;
    value = product.getResult();
  }
  Operation *sum = *value.user_begin();
  if (!isa<arith::AddFOp, arith::SubFOp>(sum) || !sum->hasOneUse() ||
      !isa<linalg::YieldOp>(*sum->user_begin()))
    return std::nullopt;
  bool isSecond = sum->getOperand(1) == value;
  if (isa<arith::SubFOp>(sum)) {
    if (!isSecond)
      return std::nullopt;
    scale = -scale;
  }
  std::optional<unsigned> target =
      inputOf(body, sum->getOperand(isSecond ? 0 : 1));
  if (!target || *target == accumulator ||
      !body.getIndexingMapsArray()[*target].isIdentity())
    return std::nullopt;
  return GpuUpdate{*target, scale};
}

} // namespace graphc
