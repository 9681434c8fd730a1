// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads at computed places, and sums into them.
#include "dialects/tfir/gather/TfirGatherOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/gather/Segments.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

FailureOr<int64_t> graphc::tfir::countCoordinates(Operation *op,
                                                  RankedTensorType indices,
                                                  int64_t dims,
                                                  StringRef what) {
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

Value graphc::tfir::rowsOfPlaces(OpBuilder &b, Location loc, Value indices,
                                 ArrayRef<int64_t> sizes) {
  OpExpr e{b, loc};
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
  FailureOr<int64_t> count = countCoordinates( // (C1), (C2)
      *this, indices, params.getRank(), "params have");
  if (failed(count))
    return failure();
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, params.getShape().drop_front(*count));
  types.push_back(params.clone(shape));
  return success();
}

Results GatherNdOp::decompose(OpBuilder &b) {
  RankedTensorType params = tensorType(getParams());
  int64_t count = tensorType(getIndices()).getShape().back();
  ArrayRef<int64_t> sizes = params.getShape().take_front(count);
  SmallVector<int64_t> shape{ShapedType::getNumElements(sizes)};
  llvm::append_range(shape, params.getShape().drop_front(count));
  Value table =
      ReshapeOp::create(b, getLoc(), params.clone(shape), getParams());
  return SmallVector<Value>{
      GatherOp::create(b, getLoc(), getOutput().getType(), table,
                       rowsOfPlaces(b, getLoc(), getIndices(), sizes), 0)};
}

LogicalResult ScatterNdOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType updates = tensorType(getUpdates());
  RankedTensorType indices = tensorType(getIndices());
  int64_t rank = getShape().size();
  if (llvm::any_of(getShape(), [](int64_t size) { return size < 0; }))
    return emitOpError() << "shape has a negative size"; // (C2)
  FailureOr<int64_t> count =                             // (C1), (C2)
      countCoordinates(*this, indices, rank, "shape has");
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
  RankedTensorType to = tensorType(getOutput());
  int64_t count = tensorType(getIndices()).getShape().back();
  ArrayRef<int64_t> sizes = getShape().take_front(count);
  SmallVector<int64_t> shape{ShapedType::getNumElements(sizes)};
  llvm::append_range(shape, getShape().drop_front(count));
  Value sums = UnsortedSegmentSumOp::create(
      b, getLoc(), to.clone(shape), getUpdates(),
      rowsOfPlaces(b, getLoc(), getIndices(), sizes), shape[0]);
  return SmallVector<Value>{ReshapeOp::create(b, getLoc(), to, sums)};
}
