// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, means and extremes by segment. They sort the ids, so that each element
// of the result can be combined on its own, in one order.
#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/Segments.h"
#include "dialects/tfir/gather/StableOrder.h"
#include "dialects/tfir/gather/TfirGatherOps.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

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
