// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws from distributions, and random orders.
#include "dialects/tfir/ops/random/TfirRandomOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/ops/TfirScalarOps.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"
#include "dialects/tfir/ops/aggregate/TfirReductionOps.h"
#include "dialects/tfir/ops/random/RandomExpr.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirRandomOps.cpp.inc"

namespace {

/// Rounds of Marsaglia and Tsang's method, each of three streams.
constexpr uint32_t kGammaRounds = 6;

Results one(Value value) { return SmallVector<Value>{value}; }

/// 48 random bits for each element, as `element`, a type that has them all.
Value bitsOf(Operation *op, OpBuilder &b, ArrayRef<int64_t> shape, Type element,
             std::optional<int64_t> seed) {
  ReductionExpr e{{b, op->getLoc()}};
  auto floats = RankedTensorType::get(shape, b.getF32Type());
  auto bits = [&](uint32_t part) {
    return e.cast(e.scale(uniform(op, b, floats, seed, part), 0x1p24), element);
  };
  return e.add(e.scale(bits(0), 0x1p24), bits(1));
}

} // namespace

//===-- Integers ----------------------------------------------------------===//

LogicalResult RandomUniformIntOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getOutput());
  if (failed(verifyRandomSize(*this, type))) // (C1)
    return failure();
  auto low = static_cast<int64_t>(getMinval());
  auto high = static_cast<int64_t>(getMaxval());
  uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  bool isNarrow = type.getElementType().isInteger(32);
  if (low >= high || count > (uint64_t(1) << 31) ||
      (isNarrow && (low < INT32_MIN || high - 1 > INT32_MAX))) // (C2)
    return emitOpError() << "draws from [" << low << ", " << high
                         << "), expected from 1 to 2^31 numbers of "
                         << type.getElementType();
  types.push_back(type);
  return success();
}

Results RandomUniformIntOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  RankedTensorType type = tensorType(getOutput());
  auto low = static_cast<int64_t>(getMinval());
  auto high = static_cast<int64_t>(getMaxval());
  auto constant = [&](int64_t value) -> Value {
    auto wide = RankedTensorType::get({}, b.getI64Type());
    return ConstOp::create(b, getLoc(), wide,
                           DenseElementsAttr::get(wide, ArrayRef(value)));
  };
  Value bits = bitsOf(*this, b, type.getShape(), b.getI64Type(), getSeed());
  Value number =
      e.add(e.binary<ModOp>(bits, constant(high - low)), constant(low));
  if (type.getElementType().isInteger(32))
    number = e.cast(number, type.getElementType());
  return one(number);
}

LogicalResult BernoulliOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getProbs());
  if (failed(verifyRandomSize(*this, type))) // (C1)
    return failure();
  types.push_back(RankedTensorType::get(type.getShape(),
                                        IntegerType::get(getContext(), 32)));
  return success();
}

Results BernoulliOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  Value u = uniform(*this, b, tensorType(getProbs()), getSeed(), 0);
  return one(e.cast(e.test<LessOp>(u, getProbs()), b.getI32Type()));
}

LogicalResult MultinomialOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getLogits());
  if (type.getRank() != 2 || type.getDimSize(1) == 0) // (C1)
    return emitOpError() << "the logits have the type " << type
                         << ", expected rows of classes";
  auto samples = static_cast<int64_t>(getNumSamples());
  if (samples < 0 || samples > kMaxRandomElements) // (C2)
    return emitOpError() << "num_samples is " << samples
                         << ", expected no negative number, and at most "
                         << kMaxRandomElements;
  Shape shape{type.getDimSize(0), samples};
  auto output =
      RankedTensorType::get(shape, IntegerType::get(getContext(), 64));
  if (failed(verifyRandomSize(*this, output))) // (C2)
    return failure();
  types.push_back(output);
  return success();
}

Results MultinomialOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  RankedTensorType type = tensorType(getLogits());
  int64_t rows = type.getDimSize(0), classes = type.getDimSize(1);
  auto samples = static_cast<int64_t>(getNumSamples());
  Value p = SoftmaxOp::create(b, getLoc(), type, getLogits());
  Value sums = CumsumOp::create(b, getLoc(), type, p, /*axis=*/1,
                                /*exclusive=*/false, /*reverse=*/false);
  // The last running sum is the largest, since no probability is negative.
  Value whole = e.reduce<MaxOp>(sums, {1}, /*keepDims=*/true);
  Value u = uniform(*this, b, type.clone({rows, samples}), getSeed(), 0);
  Value target = e.reshape(e.mul(u, whole), {rows, samples, 1});
  // The product may be rounded up to the whole; behind it is no class.
  Value isPart = e.test<LessOp>(sums, whole);
  Value bound = e.select(isPart, sums, e.number(sums, 2), sums);
  Value isPassed =
      e.test<LessEqualOp>(e.reshape(bound, {rows, 1, classes}), target);
  Value count = SumOp::create(
      b, getLoc(), RankedTensorType::get({rows, samples}, b.getI32Type()),
      e.cast(isPassed, b.getI32Type()), b.getDenseI64ArrayAttr({2}),
      UnitAttr());
  return one(e.cast(count, b.getI64Type()));
}

//===-- Gamma -------------------------------------------------------------===//

LogicalResult RandomGammaOp::inferTypes(Types &types) {
  RankedTensorType alpha = tensorType(getAlpha());
  Shape shape(getShape());
  for (int64_t size : shape)
    if (size < 0) // (C1)
      return emitOpError() << "has a dimension of size " << size
                           << ", expected no negative size";
  if (Value beta = getBeta()) {
    auto both = broadcastShapes(alpha.getShape(), tensorType(beta).getShape());
    if (!both || failed(verifyCompatibleShape(*both, alpha.getShape()))) // (C2)
      return emitOpError() << "has beta of type " << beta.getType()
                           << ", which does not broadcast to " << alpha;
  }
  llvm::append_range(shape, alpha.getShape());
  RankedTensorType type = alpha.clone(shape);
  if (failed(verifyRandomSize(*this, type))) // (C1)
    return failure();
  types.push_back(type);
  return success();
}

Results RandomGammaOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  RankedTensorType type = tensorType(getOutput());
  auto draw = [&](uint32_t part) {
    return uniform(*this, b, type, getSeed(), part);
  };
  Value alpha =
      StopGradientOp::create(b, getLoc(), getAlpha().getType(), getAlpha());
  Value isSmall = e.test<LessOp>(alpha, e.number(alpha, 1));
  Value d =
      e.shift(e.select(isSmall, e.shift(alpha, 1), alpha, alpha), -1.0 / 3);
  Value c = e.unary<RsqrtOp>(e.scale(d, 9));
  Value sample = BroadcastToOp::create(b, getLoc(), type, d);
  // The first accepted candidate counts: the last one that is put in its place.
  for (uint32_t round = kGammaRounds; round-- > 0;) {
    Value u = draw(3 * round), angle = draw(3 * round + 1);
    Value radius =
        e.unary<SqrtOp>(e.scale(e.unary<LogOp>(e.shift(e.neg(u), 1)), -2));
    Value x = e.mul(radius, e.unary<CosOp>(e.scale(angle, 6.283185307179586)));
    Value root = e.shift(e.mul(x, c), 1);
    Value v = e.mul(e.unary<SquareOp>(root), root);
    Value isPositive = e.test<GreaterOp>(root, e.number(root, 0));
    // log(1 - u) < x^2 / 2 + d - d v + d log(v)
    Value safe = e.select(isPositive, v, e.number(v, 1), v);
    Value bound =
        e.add(e.scale(e.unary<SquareOp>(x), 0.5),
              e.mul(d, e.add(e.shift(e.neg(safe), 1), e.unary<LogOp>(safe))));
    Value chance = e.unary<LogOp>(e.shift(e.neg(draw(3 * round + 2)), 1));
    Value isAccepted =
        LogicalAndOp::create(b, getLoc(), isPositive.getType(), isPositive,
                             e.test<LessOp>(chance, bound));
    sample = e.select(isAccepted, e.mul(d, safe), sample, sample);
  }
  Value u = e.shift(e.neg(draw(3 * kGammaRounds)), 1);
  Value power = e.select(isSmall, e.div(e.number(alpha, 1), alpha),
                         e.number(alpha, 0), alpha);
  sample = e.mul(sample, e.binary<PowOp>(u, power));
  return one(getBeta() ? e.div(sample, getBeta()) : sample);
}

//===-- Orders ------------------------------------------------------------===//

LogicalResult RandomShuffleOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (type.getRank() == 0 || type.getDimSize(0) > kMaxSorted) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected a dimension at least, and at most "
                         << kMaxSorted << " rows";
  types.push_back(type);
  return success();
}

Results RandomShuffleOp::decompose(OpBuilder &b) {
  RankedTensorType type = tensorType(getX());
  int64_t rows = type.getDimSize(0);
  if (type.getNumElements() == 0)
    return one(ReshapeOp::create(b, getLoc(), type, getX()));
  Value keys = bitsOf(*this, b, {rows}, b.getF64Type(), getSeed());
  Value order = ArgsortOp::create(b, getLoc(),
                                  RankedTensorType::get({rows}, b.getI32Type()),
                                  keys, UnitAttr());
  return one(GatherOp::create(b, getLoc(), type, getX(), order, 0));
}

//===-- Of the shape of a tensor ------------------------------------------===//

template <typename Op> static LogicalResult inferLike(Op op, Types &types) {
  RankedTensorType type =
      tensorType(op.getX()).clone(Float32Type::get(op.getContext()));
  if (failed(verifyRandomSize(op, type))) // (C1)
    return failure();
  types.push_back(type);
  return success();
}

/// Decomposes `random`, which draws what `op` does, under the name of `op`,
/// which its stream follows from.
template <typename Random>
static Results decomposeAs(Operation *op, Random random, OpBuilder &b) {
  random->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Results results = random.decompose(b);
  random.erase();
  return results;
}

LogicalResult RandomUniformLikeOp::inferTypes(Types &types) {
  return inferLike(*this, types);
}
LogicalResult RandomNormalLikeOp::inferTypes(Types &types) {
  return inferLike(*this, types);
}
LogicalResult TruncatedNormalLikeOp::inferTypes(Types &types) {
  return inferLike(*this, types);
}

Results RandomUniformLikeOp::decompose(OpBuilder &b) {
  return decomposeAs(*this,
                     RandomUniformOp::create(b, getLoc(), getOutput().getType(),
                                             getMinvalAttr(), getMaxvalAttr(),
                                             getSeedAttr()),
                     b);
}
Results RandomNormalLikeOp::decompose(OpBuilder &b) {
  return decomposeAs(*this,
                     RandomNormalOp::create(b, getLoc(), getOutput().getType(),
                                            getMeanAttr(), getStddevAttr(),
                                            getSeedAttr()),
                     b);
}
Results TruncatedNormalLikeOp::decompose(OpBuilder &b) {
  return decomposeAs(
      *this,
      TruncatedNormalOp::create(b, getLoc(), getOutput().getType(),
                                getMeanAttr(), getStddevAttr(), getSeedAttr()),
      b);
}
