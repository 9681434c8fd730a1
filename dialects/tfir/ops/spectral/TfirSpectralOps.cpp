// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms.
#include "dialects/tfir/ops/spectral/TfirSpectralOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirSpectralOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

LogicalResult verifyPairs(Operation *op, RankedTensorType type, int64_t dims) {
  if (type.getRank() > dims &&
      (type.getShape().back() == 2 || isOpen(type.getShape().back())))
    return success();
  return op->emitOpError() << "the operand has the type " << type
                           << ", expected " << dims
                           << " dimensions at least, and (re, im) as the last";
}

LogicalResult verifyLength(Operation *op, std::optional<uint64_t> length) {
  if (!length || (static_cast<int64_t>(*length) >= 1 &&
                  static_cast<int64_t>(*length) <= INT32_MAX)) // (C2)
    return success();
  return op->emitOpError() << "fft_length is " << static_cast<int64_t>(*length)
                           << ", expected at least 1";
}

/// Transforms as ops of the dialect.
struct SpectralExpr : OpExpr {
  ArrangeExpr arrange() { return {b, loc}; }

  /// exp(-2 pi i k / n) for each k below n, with the last places right: each is
  /// found by the symmetry from the first eighth of the circle.
  Value roots(RankedTensorType like, int64_t count) {
    SmallVector<double> numbers;
    for (int64_t k = 0; k < count; ++k) {
      // 8 k / n = octant + part / n
      int64_t octant = 8 * k / count, part = 8 * k % count;
      bool isTurned = octant % 2 != 0;
      double angle = M_PI / 4 *
                     static_cast<double>(isTurned ? count - part : part) /
                     static_cast<double>(count);
      double c = std::cos(angle), s = std::sin(angle);
      if (octant % 4 == 1 || octant % 4 == 2)
        std::swap(c, s);
      numbers.push_back(octant >= 2 && octant < 6 ? -c : c);
      numbers.push_back(octant >= 4 ? s : -s);
    }
    RankedTensorType type = like.clone({count, 2});
    if (like.getElementType().isF64())
      return ConstOp::create(b, loc, type,
                             DenseElementsAttr::get(type, ArrayRef(numbers)));
    SmallVector<float> single(numbers.begin(), numbers.end());
    return ConstOp::create(b, loc, type,
                           DenseElementsAttr::get(type, ArrayRef(single)));
  }

  /// Along the dimension before the last one.
  Value along(Value x, bool inverse) {
    RankedTensorType type = tensorType(x);
    int64_t count = type.getShape().end()[-2];
    if (type.getNumElements() == 0)
      return arrange().reshape(x, type.getShape());
    Value y = DftOp::create(b, loc, type, x, roots(type, count),
                            inverse ? b.getUnitAttr() : UnitAttr());
    return inverse ? scale(y, 1.0 / static_cast<double>(count)) : y;
  }

  Value alongTwo(Value x, bool inverse) {
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, tensorType(x).getRank()));
    std::swap(perm.end()[-2], perm.end()[-3]);
    Value rows = arrange().transpose(along(x, inverse), perm);
    return arrange().transpose(along(rows, inverse), perm);
  }

  /// Cut or filled up with zeros along one dimension.
  Value fitted(Value x, int64_t axis, int64_t size) {
    Shape shape = ArrangeExpr::shapeOf(x);
    if (shape[axis] > size)
      return arrange().sliceAlong(x, axis, 0, size);
    if (shape[axis] == size)
      return x;
    shape[axis] = size;
    return arrange().place(x, shape, Shape(shape.size(), 0),
                           Shape(shape.size(), 1), 0);
  }
};

template <typename Op>
LogicalResult inferFourier(Op op, Types &types, int64_t dims) {
  RankedTensorType type = tensorType(op.getX());
  if (failed(verifyPairs(op, type, dims))) // (C1)
    return failure();
  types.push_back(type);
  return success();
}

} // namespace

#define GRAPHC_FOURIER(OP, DIMS, METHOD, INVERSE)                              \
  LogicalResult OP::inferTypes(Types &types) {                                 \
    return inferFourier(*this, types, DIMS);                                   \
  }                                                                            \
  Results OP::decompose(OpBuilder &b) {                                        \
    SpectralExpr e{{b, getLoc()}};                                             \
    return one(e.METHOD(getX(), INVERSE));                                     \
  }

GRAPHC_FOURIER(FftOp, 1, along, false)
GRAPHC_FOURIER(IfftOp, 1, along, true)
GRAPHC_FOURIER(Fft2dOp, 2, alongTwo, false)
GRAPHC_FOURIER(Ifft2dOp, 2, alongTwo, true)

//===-- Real numbers ------------------------------------------------------===//

LogicalResult RfftOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (type.getRank() == 0) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected a dimension at least";
  if (failed(verifyLength(*this, getFftLength()))) // (C2)
    return failure();
  Shape shape(type.getShape());
  int64_t length =
      getFftLength() ? static_cast<int64_t>(*getFftLength()) : shape.back();
  shape.back() = isOpen(length) ? length : length / 2 + 1;
  shape.push_back(2);
  types.push_back(type.clone(shape));
  return success();
}

Results RfftOp::decompose(OpBuilder &b) {
  SpectralExpr e{{b, getLoc()}};
  Shape shape = ArrangeExpr::shapeOf(getX());
  auto axis = static_cast<int64_t>(shape.size()) - 1;
  int64_t length =
      getFftLength() ? static_cast<int64_t>(*getFftLength()) : shape.back();
  Value x = e.fitted(getX(), axis, length);
  shape.back() = length;
  shape.push_back(1);
  Value pairs = e.fitted(e.arrange().reshape(x, shape), axis + 1, 2);
  return one(e.fitted(e.along(pairs, false), axis, length / 2 + 1));
}

LogicalResult IrfftOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyPairs(*this, type, 1)) ||       // (C1)
      failed(verifyLength(*this, getFftLength()))) // (C2)
    return failure();
  Shape shape(type.getShape().drop_back());
  if (getFftLength())
    shape.back() = static_cast<int64_t>(*getFftLength());
  else if (!isOpen(shape.back()))
    shape.back() = std::max<int64_t>(2 * (shape.back() - 1), 0);
  types.push_back(type.clone(shape));
  return success();
}

Results IrfftOp::decompose(OpBuilder &b) {
  SpectralExpr e{{b, getLoc()}};
  ArrangeExpr a = e.arrange();
  Shape to = ArrangeExpr::shapeOf(getY());
  auto axis = static_cast<int64_t>(to.size()) - 1;
  int64_t length = to.back(), half = length / 2 + 1;
  if (getY().getType().getNumElements() == 0)
    return one(a.reshape(a.sliceAlong(getX(), axis, 0, 0), to));
  Value x = e.fitted(getX(), axis, half);
  // The other places are conjugates, in the opposite order.
  Value whole = x;
  if (int64_t rest = length - half) {
    Value turned = a.reverse(a.sliceAlong(x, axis, 1, rest), {axis});
    Value re = a.sliceAlong(turned, axis + 1, 0, 1);
    Value im = e.neg(a.sliceAlong(turned, axis + 1, 1, 1));
    whole = a.concat({x, a.concat({re, im}, axis + 1)}, axis);
  }
  Value y = e.along(whole, true);
  return one(a.reshape(a.sliceAlong(y, axis + 1, 0, 1), to));
}

//===-- dft ---------------------------------------------------------------===//

LogicalResult DftOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX()), roots = tensorType(getRoots());
  if (failed(verifyPairs(*this, type, 1))) // (C1)
    return failure();
  int64_t count = type.getShape().end()[-2];
  if (roots.getElementType() != type.getElementType() ||
      failed(verifyCompatibleShape(roots.getShape(), {count, 2}))) // (C2)
    return emitOpError() << "has roots of type " << roots << " for " << type
                         << ", expected one for each place";
  types.push_back(type);
  return success();
}

bool DftOp::gathersOperands() { return true; }
bool DftOp::keepsRows() { return tensorType(getX()).getRank() > 2; }

/// The transposed matrix is the same, and that of the parts has conjugates.
LogicalResult DftOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  result[0] =
      DftOp::create(b, getLoc(), getX().getType(), gradients[0], getRoots(),
                    getConjugate() ? UnitAttr() : b.getUnitAttr());
  return success();
}

namespace {

/// Factors of passes: 4 before 2, which leaves fewer passes.
SmallVector<int64_t> factorsOf(int64_t count) {
  SmallVector<int64_t> factors;
  for (int64_t factor : {4, 2})
    for (; count % factor == 0; count /= factor)
      factors.push_back(factor);
  for (int64_t factor = 3; factor * factor <= count; factor += 2)
    for (; count % factor == 0; count /= factor)
      factors.push_back(factor);
  if (count > 1)
    factors.push_back(count);
  return factors;
}

/// Real and imaginary part.
struct Pair {
  Value re, im;
};

/// One pass of Stockham's order: with L the product of the factors before and
/// m = n / (L factor),
///   y[q m + r] = sum_u w^(q u m mod n) x[(q mod L) m factor + m u + r].
class FourierPass {
public:
  FourierPass(DftOp op, Value roots, int64_t done, int64_t factor)
      : roots(roots), isConjugate(op.getConjugate()), done(done),
        factor(factor) {
    int64_t count = tensorType(roots).getDimSize(0);
    rest = count / (done * factor);
  }

  /// The sum for the place `at`; `read` gives a place of the operand.
  Pair build(OpBuilder &b, Location loc, Value at,
             function_ref<Pair(OpBuilder &, Value)> read) const;

private:
  /// Adds the product of a root and a term.
  static Pair fused(OpBuilder &b, Location loc, Pair sum, Pair x, Pair w) {
    auto mul = [&](Value a, Value c) -> Value {
      return arith::MulFOp::create(b, loc, a, c);
    };
    Value re = arith::SubFOp::create(b, loc, mul(x.re, w.re), mul(x.im, w.im));
    Value im = arith::AddFOp::create(b, loc, mul(x.re, w.im), mul(x.im, w.re));
    return {arith::AddFOp::create(b, loc, sum.re, re),
            arith::AddFOp::create(b, loc, sum.im, im)};
  }

  Value roots;
  bool isConjugate;
  int64_t done, factor, rest;
};

Pair FourierPass::build(OpBuilder &b, Location loc, Value at,
                        function_ref<Pair(OpBuilder &, Value)> read) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value m = constant(rest), zero = constant(0), one = constant(1);
  Value q = arith::DivUIOp::create(b, loc, at, m);
  Value r = arith::RemUIOp::create(b, loc, at, m);
  Value within = arith::RemUIOp::create(b, loc, q, constant(done));
  Value first = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, within, constant(rest * factor)),
      r);
  auto term = [&](OpBuilder &b, Location loc, Pair sum, Value u) -> Pair {
    Value place = arith::AddIOp::create(b, loc, first,
                                        arith::MulIOp::create(b, loc, u, m));
    Value turns = arith::RemUIOp::create(
        b, loc, arith::MulIOp::create(b, loc, q, u), constant(done * factor));
    turns = arith::MulIOp::create(b, loc, turns, m);
    auto part = [&](Value which) -> Value {
      return tensor::ExtractOp::create(b, loc, roots, ValueRange{turns, which});
    };
    Pair root{part(zero), part(one)};
    if (isConjugate)
      root.im = arith::NegFOp::create(b, loc, root.im);
    return fused(b, loc, sum, read(b, place), root);
  };
  // The first root is 1.
  Pair sum = read(b, first);
  constexpr int64_t kUnrolled = 5;
  if (factor <= kUnrolled) {
    for (int64_t u = 1; u < factor; ++u)
      sum = term(b, loc, sum, constant(u));
    return sum;
  }
  auto loop = scf::ForOp::create(b, loc, one, constant(factor), one,
                                 ValueRange{sum.re, sum.im});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Pair next = term(b, loc, {loop.getRegionIterArg(0), loop.getRegionIterArg(1)},
                   loop.getInductionVar());
  scf::YieldOp::create(b, loc, ValueRange{next.re, next.im});
  return {loop.getResult(0), loop.getResult(1)};
}

} // namespace

SmallVector<Value> DftOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  RankedTensorType type = tensorType(operands[0]);
  RankedTensorType parts = type.clone(type.getShape().drop_back());
  int64_t rank = parts.getRank(), count = parts.getShape().back();
  auto readPairs = [&](Value tensor, ValueRange at, Value place, OpBuilder &b,
                       int64_t part) -> Value {
    SmallVector<Value> from(at.take_front(rank));
    from.back() = place;
    if (part >= 0)
      from.push_back(arith::ConstantIndexOp::create(b, loc, part));
    return tensor::ExtractOp::create(b, loc, tensor, from);
  };
  Pair done; // null: the operand
  int64_t product = 1;
  for (int64_t factor : factorsOf(count)) {
    FourierPass pass(*this, operands[1], product, factor);
    Value empty[] = {emptyTensor(b, loc, parts), emptyTensor(b, loc, parts)};
    AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                        b.getMultiDimIdentityMap(rank)};
    auto made = buildGeneric(
        b, loc, {}, empty, maps, rank, {},
        [&](OpBuilder &b, Location loc, ValueRange) {
          SmallVector<Value> at;
          for (int64_t i = 0; i < rank; ++i)
            at.push_back(linalg::IndexOp::create(b, loc, i));
          Pair sum = pass.build(
              b, loc, at.back(), [&](OpBuilder &b, Value place) -> Pair {
                if (!done.re)
                  return {readPairs(operands[0], at, place, b, 0),
                          readPairs(operands[0], at, place, b, 1)};
                return {readPairs(done.re, at, place, b, -1),
                        readPairs(done.im, at, place, b, -1)};
              });
          return SmallVector<Value>{sum.re, sum.im};
        });
    done = {made.getResult(0), made.getResult(1)};
    product *= factor;
  }
  return {buildFromIndices(
      b, loc, type, [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        if (!done.re) // one place
          return tensor::ExtractOp::create(b, loc, operands[0], at);
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        Value isReal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             at.back(), zero);
        ValueRange from = at.drop_back();
        return arith::SelectOp::create(
            b, loc, isReal, tensor::ExtractOp::create(b, loc, done.re, from),
            tensor::ExtractOp::create(b, loc, done.im, from));
      })};
}
