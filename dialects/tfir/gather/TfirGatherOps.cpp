// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and sums at computed places. A sum by segment sorts the ids, so that
// each element of the result can be summed on its own, in one order.
#include "dialects/tfir/gather/TfirGatherOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/gather/Segments.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <limits>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirGatherOps.cpp.inc"

//===-- gather ------------------------------------------------------------===//

/// The axis from the first dimension on, or an error.
static FailureOr<int64_t> axisOf(GatherOp op) {
  int64_t rank = tensorType(op.getParams()).getRank();
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < -rank || axis >= rank)
    return op.emitOpError()
           << "axis is " << axis << ", but params have " << rank
           << " dimensions; expected one of [" << -rank << ", " << rank << ")";
  return axis < 0 ? axis + rank : axis;
}

LogicalResult GatherOp::inferTypes(SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> axis = axisOf(*this); // (C1)
  if (failed(axis))
    return failure();
  RankedTensorType params = tensorType(getParams());
  SmallVector<int64_t> shape(params.getShape().take_front(*axis));
  llvm::append_range(shape, tensorType(getIndices()).getShape());
  llvm::append_range(shape, params.getShape().drop_front(*axis + 1));
  types.push_back(RankedTensorType::get(shape, params.getElementType()));
  return success();
}

bool GatherOp::gathersOperands() { return true; }

SmallVector<Value> GatherOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  RankedTensorType to = lowerType(getOutput().getType());
  RankedTensorType params = tensorType(operands[0]);
  int64_t axis = *axisOf(*this), size = params.getDimSize(axis);
  Type element = to.getElementType();
  if (size == 0)
    return {filledTensor(b, loc, to, zeroOf(b, loc, element))};
  int64_t rank = to.getRank(), picked = tensorType(operands[1]).getRank();
  SmallVector<AffineExpr> place;
  for (int64_t i = 0; i < picked; ++i)
    place.push_back(b.getAffineDimExpr(axis + i));
  AffineMap maps[] = {AffineMap::get(rank, 0, place, b.getContext()),
                      b.getMultiDimIdentityMap(rank)};
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), args[0]);
    // A negative number is a huge unsigned one.
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                         index(b, loc, size));
    at = arith::SelectOp::create(b, loc, inside, at, index(b, loc, 0));
    SmallVector<Value> from;
    for (int64_t i = 0; i < rank; ++i) {
      if (i == axis)
        from.push_back(at);
      if (i < axis || i >= axis + picked)
        from.push_back(linalg::IndexOp::create(b, loc, i));
    }
    if (axis == rank)
      from.push_back(at);
    Value value = tensor::ExtractOp::create(b, loc, operands[0], from);
    return SmallVector<Value>{arith::SelectOp::create(b, loc, inside, value,
                                                      zeroOf(b, loc, element))};
  };
  return {buildGeneric(b, loc, operands[1], emptyTensor(b, loc, to), maps, rank,
                       {}, body)
              .getResult(0)};
}

static Value transposed(OpBuilder &b, Location loc, Value x,
                        ArrayRef<int64_t> perm) {
  RankedTensorType type = tensorType(x);
  if (llvm::equal(perm, llvm::seq<int64_t>(0, type.getRank())))
    return x;
  return TransposeOp::create(
      b, loc, type.clone(applyPermutation(type.getShape(), perm)), x, perm);
}

LogicalResult GatherOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  Location loc = getLoc();
  RankedTensorType params = tensorType(getParams());
  if (!isa<FloatType>(params.getElementType()))
    return success();
  int64_t axis = *axisOf(*this);
  int64_t picked = tensorType(getIndices()).getRank();
  int64_t rank = tensorType(getOutput()).getRank();
  // The dimensions of the indices first: those are summed by segment.
  SmallVector<int64_t> perm, back;
  llvm::append_range(perm, llvm::seq(axis, axis + picked));
  llvm::append_range(perm, llvm::seq<int64_t>(0, axis));
  llvm::append_range(perm, llvm::seq(axis + picked, rank));
  llvm::append_range(back, llvm::seq<int64_t>(1, axis + 1));
  back.push_back(0);
  llvm::append_range(back, llvm::seq<int64_t>(axis + 1, params.getRank()));
  Value rows = transposed(b, loc, gradients[0], perm);
  SmallVector<int64_t> shape{params.getDimSize(axis)};
  llvm::append_range(shape, tensorType(rows).getShape().drop_front(picked));
  Value sums = UnsortedSegmentSumOp::create(b, loc, params.clone(shape), rows,
                                            getIndices(), shape[0]);
  result[0] = transposed(b, loc, sums, back);
  return success();
}

//===-- Places of several coordinates -------------------------------------===//

/// Checks the last dimension of `indices` against the sizes that coordinates
/// count along, and gives it.
static FailureOr<int64_t> coordinatesOf(Operation *op, RankedTensorType indices,
                                        int64_t dims, StringRef what) {
  if (indices.getRank() == 0 ||
      ShapedType::isDynamic(indices.getShape().back()))
    return op->emitOpError()
           << "indices have type " << indices
           << ", expected coordinates along a last dimension that is known";
  int64_t count = indices.getShape().back();
  if (count < 1 || count > dims)
    return op->emitOpError() << "indices have " << count << " coordinates, but "
                             << what << " " << dims << " dimensions";
  return count;
}

/// The row of a table of all places at which the coordinates point, -1 outside.
static Value rowsOf(OpExpr e, Value indices, ArrayRef<int64_t> sizes) {
  RankedTensorType type = tensorType(indices);
  int64_t rows = ShapedType::getNumElements(sizes);
  if (rows > std::numeric_limits<int32_t>::max() &&
      !type.getElementType().isInteger(64)) {
    type = RankedTensorType::get(type.getShape(), e.b.getI64Type());
    indices = CastOp::create(e.b, e.loc, type, indices);
  }
  SmallVector<int64_t> begin(type.getRank(), 0), size(type.getShape());
  RankedTensorType to = type.clone(type.getShape().drop_back());
  size.back() = 1;
  SmallVector<int64_t> strides = computeSuffixProduct(sizes);
  Value row, inside;
  for (size_t i = 0; i < sizes.size(); ++i) {
    begin.back() = i;
    Value at =
        SliceOp::create(e.b, e.loc, type.clone(size), indices, begin, size);
    at = ReshapeOp::create(e.b, e.loc, to, at);
    Value isIn = e.binary<LogicalAndOp>(
        e.test<GreaterEqualOp>(at, e.number(at, 0)),
        e.test<LessOp>(at, e.number(at, static_cast<double>(sizes[i]))));
    inside = inside ? e.binary<LogicalAndOp>(inside, isIn) : isIn;
    Value term = e.scale(at, static_cast<double>(strides[i]));
    row = row ? e.add(row, term) : term;
  }
  return e.select(inside, row, e.number(row, -1), row);
}

LogicalResult GatherNdOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType params = tensorType(getParams());
  RankedTensorType indices = tensorType(getIndices());
  FailureOr<int64_t> count = coordinatesOf( // (C1), (C2)
      *this, indices, params.getRank(), "params have");
  if (failed(count))
    return failure();
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, params.getShape().drop_front(*count));
  types.push_back(params.clone(shape));
  return success();
}

Results GatherNdOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  RankedTensorType params = tensorType(getParams());
  int64_t count = tensorType(getIndices()).getShape().back();
  ArrayRef<int64_t> sizes = params.getShape().take_front(count);
  SmallVector<int64_t> shape{ShapedType::getNumElements(sizes)};
  llvm::append_range(shape, params.getShape().drop_front(count));
  Value table =
      ReshapeOp::create(b, getLoc(), params.clone(shape), getParams());
  return SmallVector<Value>{
      GatherOp::create(b, getLoc(), getOutput().getType(), table,
                       rowsOf(e, getIndices(), sizes), 0)};
}

LogicalResult ScatterNdOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType updates = tensorType(getUpdates());
  RankedTensorType indices = tensorType(getIndices());
  int64_t rank = getShape().size();
  if (llvm::any_of(getShape(), [](int64_t size) { return size < 0; }))
    return emitOpError() << "shape has a negative size"; // (C2)
  FailureOr<int64_t> count =                             // (C1), (C2)
      coordinatesOf(*this, indices, rank, "shape has");
  if (failed(count))
    return failure();
  SmallVector<int64_t> want(indices.getShape().drop_back());
  llvm::append_range(want, getShape().drop_front(*count));
  if (failed(verifyCompatibleShape(want, updates.getShape()))) // (C3)
    return emitOpError() << "updates have type " << updates
                         << ", but indices and shape ask for "
                         << updates.clone(want);
  types.push_back(updates.clone(getShape()));
  return success();
}

Results ScatterNdOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  RankedTensorType to = tensorType(getOutput());
  int64_t count = tensorType(getIndices()).getShape().back();
  ArrayRef<int64_t> sizes = getShape().take_front(count);
  SmallVector<int64_t> shape{ShapedType::getNumElements(sizes)};
  llvm::append_range(shape, getShape().drop_front(count));
  Value sums =
      UnsortedSegmentSumOp::create(b, getLoc(), to.clone(shape), getUpdates(),
                                   rowsOf(e, getIndices(), sizes), shape[0]);
  return SmallVector<Value>{ReshapeOp::create(b, getLoc(), to, sums)};
}

//===-- Segments ----------------------------------------------------------===//

namespace {

LogicalResult inferSegments(Operation *op, RankedTensorType data,
                            RankedTensorType ids, int64_t count,
                            SmallVectorImpl<Type> &types) {
  if (count < 0) // (C1)
    return op->emitOpError()
           << "num_segments is " << count << ", expected 0 or more";
  if (data.getRank() < ids.getRank() ||
      failed(verifyCompatibleShape(data.getShape().take_front(ids.getRank()),
                                   ids.getShape()))) // (C2)
    return op->emitOpError() << "data have type " << data
                             << ", whose shape does not begin with that of "
                                "segment_ids, "
                             << ids;
  if (ids.hasStaticShape() && ids.getNumElements() > kMaxSorted) // (C3)
    return op->emitOpError()
           << "sums " << ids.getNumElements() << " slices, at most "
           << kMaxSorted << " are possible; split them";
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, data.getShape().drop_front(ids.getRank()));
  types.push_back(data.clone(shape));
  return success();
}

template <typename Op>
LogicalResult inferUnsorted(Op op, SmallVectorImpl<Type> &types) {
  return inferSegments(op, tensorType(op.getData()),
                       tensorType(op.getSegmentIds()),
                       static_cast<int64_t>(op.getNumSegments()), types);
}

template <typename Op>
LogicalResult inferSorted(Op op, SmallVectorImpl<Type> &types) {
  RankedTensorType ids = tensorType(op.getSegmentIds());
  if (ids.getRank() != 1) // (C2)
    return op.emitOpError() << "segment_ids have type " << ids
                            << ", expected one dimension; tfir.unsorted_"
                               "segment_sum and its like take more";
  return inferUnsorted(op, types);
}

template <typename Unsorted, typename Op>
Results decomposeSorted(Op op, OpBuilder &b) {
  return SmallVector<Value>{
      Unsorted::create(b, op.getLoc(), op.getOutput().getType(), op.getData(),
                       op.getSegmentIds(), op.getNumSegments())};
}

/// Combination of the elements of a segment.
struct SegmentRule {
  Value first; ///< combined with the elements one after the other
  Value empty; ///< of a segment without elements
  function_ref<Value(OpBuilder &, Location, Value, Value)> combine;
};

Value lowerSegments(OpBuilder &b, Location loc, Value data, Value ids,
                    RankedTensorType to, const SegmentRule &rule) {
  int64_t slices = tensorType(ids).getNumElements();
  if (slices == 0 || to.getNumElements() == 0)
    return filledTensor(b, loc, to, rule.empty);
  int64_t size = tensorType(data).getNumElements() / slices;
  Segments segments = segmentsOf(b, loc, ids, to.getDimSize(0));
  Value flat = inShape(b, loc, data, {slices * size});
  SmallVector<int64_t> strides = computeSuffixProduct(to.getShape());
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
    Value zero = index(b, loc, 0), within = zero;
    for (size_t i = 1; i < at.size(); ++i)
      within = arith::AddIOp::create(
          b, loc, within,
          arith::MulIOp::create(b, loc, at[i], index(b, loc, strides[i])));
    Value next = arith::AddIOp::create(b, loc, at[0], index(b, loc, 1));
    Value from = tensor::ExtractOp::create(b, loc, segments.starts, at[0]);
    Value end = tensor::ExtractOp::create(b, loc, segments.starts, next);
    auto loop =
        scf::ForOp::create(b, loc, from, end, number32(b, loc, 1), rule.first);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value slice = tensor::ExtractOp::create(
          b, loc, segments.order,
          ValueRange{zero, toIndex(b, loc, loop.getInductionVar())});
      slice = toIndex(b, loc, slice);
      Value place = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, slice, index(b, loc, size)),
          within);
      Value x = tensor::ExtractOp::create(b, loc, flat, place);
      scf::YieldOp::create(b, loc,
                           rule.combine(b, loc, loop.getRegionIterArg(0), x));
    }
    Value isEmpty =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, from, end);
    return arith::SelectOp::create(b, loc, isEmpty, rule.empty,
                                   loop.getResult(0));
  };
  return buildFromIndices(b, loc, to, element);
}

/// The end of the numbers of `element`, infinite if floats may be.
Value extreme(OpBuilder &b, Location loc, Type element, bool lowest,
              bool mayBeInfinite) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(type, mayBeInfinite
                                 ? APFloat::getInf(semantics, lowest)
                                 : APFloat::getLargest(semantics, lowest)));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  APInt value = isUnsigned ? (lowest ? APInt::getMinValue(width)
                                     : APInt::getMaxValue(width))
                           : (lowest ? APInt::getSignedMinValue(width)
                                     : APInt::getSignedMaxValue(width));
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(width), value));
}

template <typename Op>
Value lowerExtreme(Op op, OpBuilder &b, ValueRange operands, bool largest) {
  Location loc = op.getLoc();
  Type element = tensorType(op.getData()).getElementType();
  auto combine = [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    if (isa<FloatType>(element))
      return largest ? Value(arith::MaximumFOp::create(b, loc, x, y))
                     : Value(arith::MinimumFOp::create(b, loc, x, y));
    if (element.isUnsignedInteger())
      return largest ? Value(arith::MaxUIOp::create(b, loc, x, y))
                     : Value(arith::MinUIOp::create(b, loc, x, y));
    return largest ? Value(arith::MaxSIOp::create(b, loc, x, y))
                   : Value(arith::MinSIOp::create(b, loc, x, y));
  };
  return lowerSegments(b, loc, operands[0], operands[1],
                       lowerType(op.getOutput().getType()),
                       {extreme(b, loc, element, largest, true),
                        extreme(b, loc, element, largest, false), combine});
}

/// The slices' shares: the gradient of a segment, divided among its ties.
template <typename Op>
LogicalResult extremeGradient(Op op, OpBuilder &b, Value gradient,
                              MutableArrayRef<Value> result) {
  RankedTensorType type = tensorType(op.getData());
  if (!isa<FloatType>(type.getElementType()))
    return success();
  OpExpr e{b, op.getLoc()};
  auto ofSlices = [&](Value segments) -> Value {
    return GatherOp::create(b, op.getLoc(), type, segments, op.getSegmentIds(),
                            0);
  };
  Value isIt = e.test<EqualOp>(op.getData(), ofSlices(op.getOutput()));
  Value ones = CastOp::create(b, op.getLoc(), type, isIt);
  Value count =
      UnsortedSegmentSumOp::create(b, op.getLoc(), gradient.getType(), ones,
                                   op.getSegmentIds(), op.getNumSegments());
  Value share = e.div(gradient, e.binary<MaximumOp>(count, e.number(count, 1)));
  result[0] = e.where(isIt, ofSlices(share));
  return success();
}

} // namespace

#define GRAPHC_SEGMENTS(OP)                                                    \
  LogicalResult OP::inferTypes(SmallVectorImpl<Type> &types) {                 \
    return inferUnsorted(*this, types);                                        \
  }                                                                            \
  bool OP::gathersOperands() { return true; }                                  \
  bool OP::keepsRows() { return false; }

GRAPHC_SEGMENTS(UnsortedSegmentSumOp)
GRAPHC_SEGMENTS(UnsortedSegmentMaxOp)
GRAPHC_SEGMENTS(UnsortedSegmentMinOp)

SmallVector<Value> UnsortedSegmentSumOp::lowerToLinalg(OpBuilder &b,
                                                       ValueRange operands) {
  RankedTensorType to = lowerType(getOutput().getType());
  Value zero = zeroOf(b, getLoc(), to.getElementType());
  auto combine = [](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    if (isa<FloatType>(x.getType()))
      return arith::AddFOp::create(b, loc, x, y);
    return arith::AddIOp::create(b, loc, x, y);
  };
  return {lowerSegments(b, getLoc(), operands[0], operands[1], to,
                        {zero, zero, combine})};
}

SmallVector<Value> UnsortedSegmentMaxOp::lowerToLinalg(OpBuilder &b,
                                                       ValueRange operands) {
  return {lowerExtreme(*this, b, operands, /*largest=*/true)};
}
SmallVector<Value> UnsortedSegmentMinOp::lowerToLinalg(OpBuilder &b,
                                                       ValueRange operands) {
  return {lowerExtreme(*this, b, operands, /*largest=*/false)};
}

LogicalResult
UnsortedSegmentSumOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                    MutableArrayRef<Value> result) {
  if (isa<FloatType>(tensorType(getData()).getElementType()))
    result[0] = GatherOp::create(b, getLoc(), getData().getType(), gradients[0],
                                 getSegmentIds(), 0);
  return success();
}
LogicalResult
UnsortedSegmentMaxOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                    MutableArrayRef<Value> result) {
  return extremeGradient(*this, b, gradients[0], result);
}
LogicalResult
UnsortedSegmentMinOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                    MutableArrayRef<Value> result) {
  return extremeGradient(*this, b, gradients[0], result);
}

LogicalResult UnsortedSegmentMeanOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferUnsorted(*this, types);
}

Results UnsortedSegmentMeanOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  RankedTensorType to = tensorType(getOutput());
  RankedTensorType ids = tensorType(getSegmentIds());
  Value sum = UnsortedSegmentSumOp::create(b, getLoc(), to, getData(),
                                           getSegmentIds(), getNumSegments());
  // One count for each segment, which broadcasts over the slice.
  int64_t count = to.getDimSize(0);
  Value one = splat(b, getLoc(), to.clone(ids.getShape()), 1);
  Value counts = UnsortedSegmentSumOp::create(
      b, getLoc(), to.clone({count}), one, getSegmentIds(), getNumSegments());
  SmallVector<int64_t> shape(to.getRank(), 1);
  shape[0] = count;
  counts = ReshapeOp::create(b, getLoc(), to.clone(shape),
                             e.binary<MaximumOp>(counts, e.number(counts, 1)));
  return SmallVector<Value>{e.div(sum, counts)};
}

LogicalResult SegmentSumOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSorted(*this, types);
}
LogicalResult SegmentMeanOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSorted(*this, types);
}
LogicalResult SegmentMaxOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSorted(*this, types);
}
Results SegmentSumOp::decompose(OpBuilder &b) {
  return decomposeSorted<UnsortedSegmentSumOp>(*this, b);
}
Results SegmentMeanOp::decompose(OpBuilder &b) {
  return decomposeSorted<UnsortedSegmentMeanOp>(*this, b);
}
Results SegmentMaxOp::decompose(OpBuilder &b) {
  return decomposeSorted<UnsortedSegmentMaxOp>(*this, b);
}

//===-- Order -------------------------------------------------------------===//

static LogicalResult checkRows(Operation *op, Value x) {
  RankedTensorType type = tensorType(x);
  if (type.getRank() > 0 && type.getShape().back() <= kMaxSorted) // (C1)
    return success();
  return op->emitOpError() << "orders rows along the last dimension of " << type
                           << "; it needs one of at most " << kMaxSorted
                           << " elements";
}

LogicalResult ArgsortOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRows(*this, getX())))
    return failure();
  types.push_back(RankedTensorType::get(tensorType(getX()).getShape(),
                                        IntegerType::get(getContext(), 32)));
  return success();
}

bool ArgsortOp::gathersOperands() { return true; }
bool ArgsortOp::keepsRows() { return tensorType(getX()).getRank() > 1; }

SmallVector<Value> ArgsortOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Location loc = getLoc();
  RankedTensorType to = tensorType(getPlaces());
  if (to.getNumElements() == 0)
    return {filledTensor(b, loc, to, zeroOf(b, loc, to.getElementType()))};
  Type element = tensorType(getX()).getElementType();
  bool isUnsigned = element.isUnsignedInteger(), falls = getDescending();
  auto mayPrecede = [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
    if (isa<FloatType>(element)) {
      Value ordered = arith::CmpFOp::create(
          b, loc, falls ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLE,
          x, y);
      Value isNan =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y, y);
      return arith::OrIOp::create(b, loc, ordered, isNan);
    }
    arith::CmpIPredicate predicate =
        isUnsigned
            ? (falls ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ule)
            : (falls ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle);
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  int64_t columns = to.getShape().back();
  Value rows =
      inShape(b, loc, operands[0], {to.getNumElements() / columns, columns});
  return {inShape(b, loc, sortRows(b, loc, rows, mayPrecede).places,
                  to.getShape())};
}

/// The first `count` places of each row, and the elements there.
static SmallVector<Value> firstOf(OpBuilder &b, Location loc, Value x,
                                  Value places, int64_t count) {
  RankedTensorType type = tensorType(x), order = tensorType(places);
  SmallVector<int64_t> shape(type.getShape());
  int64_t columns = shape.back();
  shape.back() = count;
  if (count != columns)
    places = SliceOp::create(b, loc, order.clone(shape), places,
                             SmallVector<int64_t>(shape.size(), 0), shape);
  int64_t rows = ShapedType::getNumElements(type.getShape().drop_back());
  if (rows == 0 || count == 0)
    return {ReshapeOp::create(b, loc, type.clone(shape), x), places};
  // Places in a table of all elements, since each row has its own.
  SmallVector<int64_t> firsts;
  for (int64_t row = 0; row < rows; ++row)
    firsts.push_back(row * columns);
  Type i64 = b.getI64Type();
  auto first = RankedTensorType::get({rows, 1}, i64);
  auto wide = RankedTensorType::get({rows, count}, i64);
  Value flat = ReshapeOp::create(b, loc, order.clone({rows, count}), places);
  flat = CastOp::create(b, loc, wide, flat);
  flat = AddOp::create(
      b, loc, wide, flat,
      ConstOp::create(b, loc, first,
                      DenseElementsAttr::get(first, ArrayRef(firsts))));
  Value table = ReshapeOp::create(b, loc, type.clone({rows * columns}), x);
  Value values =
      GatherOp::create(b, loc, type.clone({rows, count}), table, flat, 0);
  return {ReshapeOp::create(b, loc, type.clone(shape), values), places};
}

LogicalResult SortOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRows(*this, getX())))
    return failure();
  types.push_back(getX().getType());
  return success();
}

static Value orderOf(OpBuilder &b, Location loc, Value x, bool descending) {
  auto type = RankedTensorType::get(tensorType(x).getShape(), b.getI32Type());
  return ArgsortOp::create(b, loc, type, x,
                           descending ? b.getUnitAttr() : UnitAttr());
}

Results SortOp::decompose(OpBuilder &b) {
  Value order = orderOf(b, getLoc(), getX(), getDescending());
  return SmallVector<Value>{firstOf(b, getLoc(), getX(), order,
                                    tensorType(getX()).getShape().back())[0]};
}

LogicalResult TopKOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (failed(checkRows(*this, getX())))
    return failure();
  RankedTensorType type = tensorType(getX());
  SmallVector<int64_t> shape(type.getShape());
  auto k = static_cast<int64_t>(getK());
  if (k < 1 || (!ShapedType::isDynamic(shape.back()) && k > shape.back()))
    return emitOpError() << "k is " << k << ", expected 1 to the size of the "
                         << "last dimension of " << type; // (C2)
  shape.back() = k;
  types.push_back(type.clone(shape));
  types.push_back(
      RankedTensorType::get(shape, IntegerType::get(getContext(), 32)));
  return success();
}

Results TopKOp::decompose(OpBuilder &b) {
  return firstOf(b, getLoc(), getX(),
                 orderOf(b, getLoc(), getX(), /*descending=*/true),
                 static_cast<int64_t>(getK()));
}
