// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, random numbers, changes of shape.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/random/RandomExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

//===-- const -------------------------------------------------------------===//

OpFoldResult ConstOp::fold(FoldAdaptor) { return getValue(); }

SmallVector<StringRef> ConstOp::deviceKinds() {
  if (isa<StringType>(tensorType(getOutput()).getElementType()))
    return {"CPU"};
  return {"GPU", "CPU"};
}

//===-- Random numbers ----------------------------------------------------===//

namespace {

LogicalResult inferRandom(Operation *op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(op->getResult(0));
  if (failed(verifyRandomSize(op, type))) // (C1)
    return failure();
  types.push_back(type);
  return success();
}

/// Elements that four words of each of 16 counters make.
constexpr int64_t kRandomBlock = 64;

/// x * factor + offset.
Value affine(OpBuilder &b, Location loc, Value x, double factor,
             double offset) {
  RankedTensorType type = tensorType(x);
  auto number = RankedTensorType::get({}, type.getElementType());
  Value scaled = MulOp::create(b, loc, type, x, splat(b, loc, number, factor));
  return AddOp::create(b, loc, type, scaled, splat(b, loc, number, offset));
}

} // namespace

LogicalResult RandomUniformOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferRandom(*this, types);
}
LogicalResult RandomNormalOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferRandom(*this, types);
}
LogicalResult TruncatedNormalOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferRandom(*this, types);
}
LogicalResult PhiloxUniformOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferRandom(*this, types);
}

FailureOr<SmallVector<Value>> RandomUniformOp::decompose(OpBuilder &b) {
  double low = getMinval().convertToDouble();
  double high = getMaxval().convertToDouble();
  Value u = uniform(*this, b, tensorType(getOutput()), getSeed(), 0);
  if (low == 0 && high == 1)
    return SmallVector<Value>{u};
  return SmallVector<Value>{affine(b, getLoc(), u, high - low, low)};
}

FailureOr<SmallVector<Value>> RandomNormalOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = tensorType(getOutput());
  // Box-Muller: sqrt(-2 ln(1 - u)) cos(2 pi v); 1 - u is never 0.
  Value u = uniform(*this, b, type, getSeed(), 0);
  Value v = uniform(*this, b, type, getSeed(), 1);
  Value log = LogOp::create(b, loc, type, affine(b, loc, u, -1, 1));
  Value radius = SqrtOp::create(b, loc, type, affine(b, loc, log, -2, 0));
  Value angle = affine(b, loc, v, 6.283185307179586, 0);
  Value normal =
      MulOp::create(b, loc, type, radius, CosOp::create(b, loc, type, angle));
  return SmallVector<Value>{affine(b, loc, normal,
                                   getStddev().convertToDouble(),
                                   getMean().convertToDouble())};
}

FailureOr<SmallVector<Value>> TruncatedNormalOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = tensorType(getOutput());
  Value u = uniform(*this, b, type, getSeed(), 0);
  // z = sqrt(2) erfinv(t) with t uniform in (-erf(sqrt 2), erf(sqrt 2)), so
  // |z| < 2. erfinv after M. Giles, "Approximating the erfinv function" (GPU
  // Computing Gems, 2011), whose central polynomial covers this range.
  constexpr double kErfSqrt2 = 0.9544997361036416;
  Value t = affine(b, loc, u, 2 * kErfSqrt2, -kErfSqrt2);
  Value square = SquareOp::create(b, loc, type, t);
  Value w = LogOp::create(b, loc, type, affine(b, loc, square, -1, 1));
  w = affine(b, loc, w, -1, -2.5);
  constexpr double kCoefficients[] = {
      3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
      -0.00125372503, -0.00417768164, 0.246640727,     1.50140941};
  auto number = RankedTensorType::get({}, type.getElementType());
  Value p = affine(b, loc, w, 2.81022636e-08, kCoefficients[0]);
  for (double coefficient : ArrayRef<double>(kCoefficients).drop_front()) {
    Value scaled = MulOp::create(b, loc, type, p, w);
    p = AddOp::create(b, loc, type, scaled, splat(b, loc, number, coefficient));
  }
  Value z = MulOp::create(b, loc, type, p, t);
  return SmallVector<Value>{
      affine(b, loc, z, 1.4142135623730951 * getStddev().convertToDouble(),
             getMean().convertToDouble())};
}

bool PhiloxUniformOp::isCheapToRecompute() { return true; }

/// One Philox4x32-10 block (Salmon et al., "Parallel random numbers: as easy as
/// 1, 2, 3", SC11), of which the word `lane` is kept.
static Value philox(OpBuilder &b, Location loc, ArrayRef<Value> counter,
                    Value key0, Value key1, Value lane) {
  Type i32 = b.getI32Type();
  auto constant = [&](uint32_t value) {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(i32, static_cast<int32_t>(value)));
  };
  Value c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (int round = 0; round < 10; ++round) {
    auto p = arith::MulUIExtendedOp::create(b, loc, c0, constant(0xD2511F53));
    auto q = arith::MulUIExtendedOp::create(b, loc, c2, constant(0xCD9E8D57));
    Value n0 = arith::XOrIOp::create(
        b, loc, arith::XOrIOp::create(b, loc, q.getHigh(), c1), key0);
    Value n2 = arith::XOrIOp::create(
        b, loc, arith::XOrIOp::create(b, loc, p.getHigh(), c3), key1);
    c0 = n0, c1 = q.getLow(), c2 = n2, c3 = p.getLow();
    key0 = arith::AddIOp::create(b, loc, key0, constant(0x9E3779B9));
    key1 = arith::AddIOp::create(b, loc, key1, constant(0xBB67AE85));
  }
  auto isLane = [&](uint32_t which) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                 constant(which));
  };
  Value low = arith::SelectOp::create(b, loc, isLane(0), c0, c1);
  Value high = arith::SelectOp::create(b, loc, isLane(2), c2, c3);
  Value inLow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane,
                                      constant(2));
  return arith::SelectOp::create(b, loc, inLow, low, high);
}

Value PhiloxUniformOp::buildScalar(OpBuilder &b, Location loc,
                                   ValueRange operands,
                                   function_ref<FlatIndex()> indexFn) {
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(i32, static_cast<int32_t>(value)));
  };
  FlatIndex place = indexFn();
  Value index = place.rest;
  // counter = (i / 64) * 16 + i % 16, lane = (i / 16) % 4
  Value block = arith::ShRUIOp::create(b, loc, index, constant(6));
  if (place.blocks)
    block = arith::AddIOp::create(b, loc, place.blocks, block);
  // Towers draw one after another what one device would draw: blocks of 64 are
  // whole, so tower r starts at block r * n / 64. Where they are not, the tower
  // is a part of the counter.
  Value word = operands[3];
  int64_t elements = tensorType(getOutput()).getNumElements();
  if (elements % kRandomBlock == 0) {
    Value first =
        arith::MulIOp::create(b, loc, word, constant(elements / kRandomBlock));
    block = arith::AddIOp::create(b, loc, first, block);
    word = constant(0);
  }
  Value counter = arith::OrIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, block, constant(4)),
      arith::AndIOp::create(b, loc, index, constant(15)));
  Value lane = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, index, constant(4)), constant(3));
  Value counters[] = {counter, constant(getStream()), operands[2], word};
  Value bits = philox(b, loc, counters, operands[0], operands[1], lane);
  Value mantissa = arith::ShRUIOp::create(b, loc, bits, constant(8));
  Value number = arith::SIToFPOp::create(b, loc, b.getF32Type(), mantissa);
  return arith::MulFOp::create(b, loc, number,
                               scalar(b, loc, b.getF32Type(), 0x1p-24));
}

//===-- Shapes ------------------------------------------------------------===//

LogicalResult ReshapeOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType from = tensorType(getX()), to = tensorType(getY());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "cannot change the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType() << "; cast with tfir.cast";
  if (!from.hasStaticShape()) {
    types.push_back(to);
    return success();
  }
  int64_t unknown = llvm::count_if(to.getShape(), ShapedType::isDynamic);
  if (unknown > 1) // (C2)
    return emitOpError() << "can work out one '?' of the result, " << to
                         << " has " << unknown;
  int64_t known = 1;
  bool isHuge = llvm::any_of(to.getShape(), [&](int64_t dim) {
    return !ShapedType::isDynamic(dim) && llvm::MulOverflow(known, dim, known);
  });
  int64_t count = from.getNumElements();
  bool fits =
      !isHuge && (unknown ? known != 0 && count % known == 0 : known == count);
  if (!fits) // (C1)
    return emitOpError() << "cannot turn the " << count << " elements of "
                         << from << " into " << to
                         << "; their sizes must have the same product, '?' is "
                            "one that follows";
  SmallVector<int64_t> shape(to.getShape());
  for (int64_t &dim : shape)
    if (ShapedType::isDynamic(dim))
      dim = count / known;
  types.push_back(to.clone(shape));
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getX());
    return getResult();
  }
  if (auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX()))
    if (tensorType(getY()).hasStaticShape())
      return value.reshape(tensorType(getY()));
  return {};
}

LogicalResult ReshapeOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                       MutableArrayRef<Value> result) {
  result[0] = ReshapeOp::create(b, getLoc(), getX().getType(), gradients[0]);
  return success();
}

LogicalResult TransposeOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(getX());
  SmallVector<int64_t> sorted(getPerm());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank()))) // (C1)
    return emitOpError() << "perm must name each dimension of " << type
                         << " once";
  SmallVector<int64_t> shape;
  for (int64_t dim : getPerm())
    shape.push_back(type.getDimSize(dim));
  types.push_back(type.clone(shape));
  return success();
}

SmallVector<Value> TransposeOp::lowerToLinalg(OpBuilder &b,
                                              ValueRange operands) {
  // Loops follow the result, whose rows are then written in order.
  int64_t rank = tensorType(getX()).getRank();
  SmallVector<AffineExpr> place(rank);
  for (auto [i, dim] : llvm::enumerate(getPerm()))
    place[dim] = b.getAffineDimExpr(i);
  AffineMap maps[] = {AffineMap::get(rank, 0, place, b.getContext()),
                      b.getMultiDimIdentityMap(rank)};
  Value empty = emptyTensor(b, getLoc(), lowerType(getY().getType()));
  return {buildGeneric(b, getLoc(), operands[0], empty, maps, rank, {},
                       [](OpBuilder &, Location, ValueRange args) {
                         return SmallVector<Value>{args[0]};
                       })
              .getResult(0)};
}

bool TransposeOp::keepsRows() {
  return !getPerm().empty() && getPerm()[0] == 0;
}

LogicalResult TransposeOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                         MutableArrayRef<Value> result) {
  SmallVector<int64_t> inverse(getPerm().size());
  for (auto [i, dim] : llvm::enumerate(getPerm()))
    inverse[dim] = i;
  result[0] =
      TransposeOp::create(b, getLoc(), getX().getType(), gradients[0], inverse);
  return success();
}

static int64_t hotDimension(OneHotOp op) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return axis < 0 ? axis + tensorType(op.getIndices()).getRank() + 1 : axis;
}

LogicalResult OneHotOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (static_cast<int64_t>(getDepth()) < 1) // (C1)
    return emitOpError() << "depth is " << getDepth()
                         << ", expected at least 1";
  SmallVector<int64_t> shape(tensorType(getIndices()).getShape());
  auto rank = static_cast<int64_t>(shape.size()) + 1;
  if (failed(normalizeAxis(*this, static_cast<int64_t>(getAxis()), rank,
                           "the result"))) // (C2)
    return failure();
  shape.insert(shape.begin() + hotDimension(*this),
               static_cast<int64_t>(getDepth()));
  // A call has a scalar for a result that is not known yet.
  RankedTensorType written = tensorType(getOutput());
  Type element = written.getRank() ? written.getElementType()
                                   : Type(Float32Type::get(getContext()));
  auto type = RankedTensorType::get(shape, element);
  if (failed(verifyNumber(*this, "on_value", getOnValue().convertToDouble(),
                          type)) ||
      failed(verifyNumber(*this, "off_value", getOffValue().convertToDouble(),
                          type))) // (C3)
    return failure();
  types.push_back(type);
  return success();
}

/// Row i of the result, a class, is of all indices.
bool OneHotOp::keepsRows() {
  return hotDimension(*this) > 0 || tensorType(getIndices()).getRank() == 0;
}

SmallVector<Value> OneHotOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  RankedTensorType to = lowerType(getOutput().getType());
  Type element = to.getElementType();
  int64_t rank = to.getRank(), axis = hotDimension(*this);
  double on = getOnValue().convertToDouble();
  double off = getOffValue().convertToDouble();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap maps[] = {identity.dropResult(axis), identity};
  return {buildGeneric(b, getLoc(), operands[0], emptyTensor(b, getLoc(), to),
                       maps, rank, {},
                       [&](OpBuilder &b, Location loc, ValueRange args) {
                         Value place = arith::IndexCastOp::create(
                             b, loc, args[0].getType(),
                             linalg::IndexOp::create(b, loc, axis));
                         Value hit = arith::CmpIOp::create(
                             b, loc, arith::CmpIPredicate::eq, place, args[0]);
                         if (element.isF32() && on == 1 && off == 0)
                           return SmallVector<Value>{arith::UIToFPOp::create(
                               b, loc, b.getF32Type(), hit)};
                         return SmallVector<Value>{arith::SelectOp::create(
                             b, loc, hit, scalar(b, loc, element, on),
                             scalar(b, loc, element, off))};
                       })
              .getResult(0)};
}
