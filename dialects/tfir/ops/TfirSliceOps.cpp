// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of tensors, and tensors one after another.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace graphc::tfir;

//===-- slice -------------------------------------------------------------===//

LogicalResult SliceOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(getX());
  int64_t rank = type.getRank();
  if (static_cast<int64_t>(getBegin().size()) != rank ||
      static_cast<int64_t>(getSize().size()) != rank) // (C1)
    return emitOpError() << "has " << getBegin().size() << " begins and "
                         << getSize().size() << " sizes, but " << type
                         << " has " << rank << " dimensions";
  SmallVector<int64_t> shape;
  for (auto [dim, begin, size] :
       llvm::zip(type.getShape(), getBegin(), getSize())) {
    bool isKnown = !ShapedType::isDynamic(dim);
    if (begin < 0 || size < -1 ||
        (isKnown && (begin > dim || size > dim - begin))) { // (C2)
      InFlightDiagnostic error = emitOpError();
      error << "takes " << size << " elements from " << begin
            << " on along a dimension of "
            << (isKnown ? std::to_string(dim) : "?");
      if (isKnown && begin >= 0 && begin <= dim)
        error << "; from there on are " << dim - begin;
      return error;
    }
    if (size >= 0)
      shape.push_back(size);
    else
      shape.push_back(isKnown ? dim - begin : ShapedType::kDynamic);
  }
  types.push_back(type.clone(shape));
  return success();
}

SmallVector<Value> SliceOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Value x = operands[0];
  return {buildFromIndices(
      b, getLoc(), lowerType(getY().getType()),
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        SmallVector<Value> place;
        for (auto [index, begin] : llvm::zip(indices, getBegin()))
          place.push_back(arith::AddIOp::create(
              b, loc, index, arith::ConstantIndexOp::create(b, loc, begin)));
        return tensor::ExtractOp::create(b, loc, x, place);
      })};
}

bool SliceOp::gathersOperands() { return true; }
bool SliceOp::keepsRows() { return false; }

/// Zeros of `type`, but with `size` elements along `axis`.
static Value zeros(OpBuilder &b, Location loc, RankedTensorType type,
                   int64_t axis, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  return splat(b, loc, type.clone(shape), 0);
}

/// The gradient, with zeros around it.
LogicalResult SliceOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                     MutableArrayRef<Value> result) {
  RankedTensorType whole = tensorType(getX());
  Value padded = gradients[0];
  for (int64_t axis = 0; axis < whole.getRank(); ++axis) {
    RankedTensorType type = tensorType(padded);
    int64_t before = getBegin()[axis];
    int64_t after = whole.getDimSize(axis) - before - type.getDimSize(axis);
    SmallVector<Value> parts;
    if (before)
      parts.push_back(zeros(b, getLoc(), type, axis, before));
    parts.push_back(padded);
    if (after)
      parts.push_back(zeros(b, getLoc(), type, axis, after));
    if (parts.size() == 1)
      continue;
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = whole.getDimSize(axis);
    padded = ConcatOp::create(b, getLoc(), type.clone(shape), parts, axis);
  }
  result[0] = padded;
  return success();
}

//===-- concat ------------------------------------------------------------===//

/// The axis in [0, rank); out of that range when it does not exist.
static int64_t axisOf(ConcatOp op) {
  int64_t axis = op.getAxis();
  return axis < 0 ? axis + tensorType(op.getXs().front()).getRank() : axis;
}

LogicalResult ConcatOp::inferTypes(SmallVectorImpl<Type> &types) {
  if (getXs().empty()) // (C1)
    return emitOpError() << "has no operand; give it at least one";
  RankedTensorType first = tensorType(getXs().front());
  int64_t axis = axisOf(*this);
  if (axis < 0 || axis >= first.getRank()) // (C2)
    return emitOpError() << "axis " << static_cast<int64_t>(getAxis())
                         << " does not exist in " << first;
  SmallVector<int64_t> shape(first.getShape());
  for (Value x : getXs().drop_front()) {
    RankedTensorType type = tensorType(x);
    bool fits = type.getElementType() == first.getElementType() &&
                type.getRank() == first.getRank();
    for (int64_t i = 0; fits && i < first.getRank(); ++i) {
      int64_t size = type.getDimSize(i);
      if (i == axis &&
          (ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[i])))
        shape[i] = ShapedType::kDynamic;
      else if (i == axis && llvm::AddOverflow(shape[i], size, shape[i]))
        return emitOpError()
               << "joins " << first << " and " << type << ", whose dimensions "
               << axis << " are together more than 2^63 - 1";
      else if (i == axis)
        continue;
      else if (ShapedType::isDynamic(shape[i]))
        shape[i] = size;
      else
        fits = ShapedType::isDynamic(size) || size == shape[i];
    }
    if (!fits)
      return emitOpError() << "joins " << first << " and " << type
                           << ", which differ in more than the size of "
                              "dimension "
                           << axis;
  }
  types.push_back(first.clone(shape));
  return success();
}

SmallVector<Value> ConcatOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  int64_t axis = axisOf(*this);
  Value joined = buildFromIndices(
      b, getLoc(), lowerType(getY().getType()),
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        auto number = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, loc, value);
        };
        Value element;
        int64_t begin = 0;
        for (Value x : operands) {
          int64_t size = tensorType(x).getDimSize(axis);
          if (size == 0)
            continue;
          // Every operand is read, within its bounds, and one is chosen: code
          // for vectors has no branches.
          SmallVector<Value> place(indices);
          Value inside =
              arith::SubIOp::create(b, loc, place[axis], number(begin));
          inside = arith::MaxSIOp::create(b, loc, inside, number(0));
          place[axis] =
              arith::MinSIOp::create(b, loc, inside, number(size - 1));
          Value here = tensor::ExtractOp::create(b, loc, x, place);
          if (!element) {
            element = here;
          } else {
            Value isBehind =
                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                      indices[axis], number(begin));
            element = arith::SelectOp::create(b, loc, isBehind, here, element);
          }
          begin += size;
        }
        // Where all are empty there is nothing to choose from, nor to fill.
        Type type = tensorType(operands.front()).getElementType();
        return element ? element : scalar(b, loc, type, 0);
      });
  if (tensorType(joined).getDimSize(axis) != 0)
    TfirDialect::JoinAttrHelper(b.getContext())
        .setAttr(joined.getDefiningOp(), b.getI64IntegerAttr(axis));
  return {joined};
}

bool ConcatOp::gathersOperands() { return true; }
bool ConcatOp::keepsRows() { return false; }

LogicalResult ConcatOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                      MutableArrayRef<Value> result) {
  int64_t axis = axisOf(*this), at = 0;
  for (auto [x, gradient] : llvm::zip(getXs(), result)) {
    RankedTensorType type = tensorType(x);
    SmallVector<int64_t> begin(type.getRank(), 0);
    begin[axis] = at;
    at += type.getDimSize(axis);
    gradient = SliceOp::create(b, getLoc(), type, gradients[0], begin,
                               type.getShape());
  }
  return success();
}
