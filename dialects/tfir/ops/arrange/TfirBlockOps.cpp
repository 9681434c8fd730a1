// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of elements at equal distances: taken, and put among others.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/arrange/TfirShapeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace graphc::tfir;

using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

static bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

LogicalResult graphc::tfir::verifyNumber(Operation *op, StringRef name,
                                         double value, RankedTensorType type) {
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element)
    return success();
  unsigned width = element.getWidth();
  bool isSigned = width > 1 && !element.isUnsigned();
  double high = std::ldexp(1.0, static_cast<int>(width) - isSigned);
  double low = isSigned ? -high : 0;
  if (value == std::floor(value) && value >= low && value < high)
    return success();
  return op->emitOpError() << "'" << name << "' is " << value
                           << ", which is no number of the element type "
                           << element;
}

namespace {

/// The constraints that tfir.strided_block and tfir.place_block share. `whole`
/// is the shape in which the block of `size` elements lies.
LogicalResult verifyBlock(Operation *op, ArrayRef<int64_t> whole,
                          ArrayRef<int64_t> begin, ArrayRef<int64_t> size,
                          ArrayRef<int64_t> strides) {
  if (begin.size() != whole.size() || size.size() != whole.size() ||
      strides.size() != whole.size()) // (C1)
    return op->emitOpError()
           << "has " << begin.size() << " begins, " << size.size()
           << " sizes and " << strides.size() << " strides for " << whole.size()
           << " dimensions, expected one of each";
  for (auto [dim, first, count, stride] :
       llvm::zip(whole, begin, size, strides)) {
    if (stride == 0 || (count < 0 && !isOpen(count))) // (C2)
      return op->emitOpError()
             << "takes " << count << " elements with a stride of " << stride
             << ", expected no negative size, and another stride than 0";
    if (isOpen(count) || count == 0)
      continue;
    int64_t last = 0;
    bool fits = !llvm::MulOverflow(count - 1, stride, last) &&
                !llvm::AddOverflow(last, first, last) && first >= 0 &&
                last >= 0 && (isOpen(dim) || std::max(first, last) < dim);
    if (!fits) // (C3)
      return op->emitOpError()
             << "has " << count << " places from " << first
             << " on with a stride of " << stride << " along a dimension of "
             << (isOpen(dim) ? "?" : std::to_string(dim))
             << "; they must lie inside";
  }
  return success();
}

/// A number of the element type in generated code.
Value numberOf(OpBuilder &b, Location loc, Type type, double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  APInt bits(64, value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                           : static_cast<uint64_t>(value));
  return arith::ConstantOp::create(
      b, loc, IntegerAttr::get(type, bits.trunc(type.getIntOrFloatBitWidth())));
}

} // namespace

LogicalResult StridedBlockOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyBlock(*this, type.getShape(), getBegin(), getSize(),
                         getStrides())))
    return failure();
  types.push_back(type.clone(getSize()));
  return success();
}

SmallVector<Value> StridedBlockOp::lowerToLinalg(OpBuilder &b,
                                                 ValueRange operands) {
  Value x = operands[0];
  return {buildFromIndices(
      b, getLoc(), lowerType(getY().getType()),
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        SmallVector<Value> place;
        for (auto [index, begin, stride] :
             llvm::zip(indices, getBegin(), getStrides())) {
          Value at = index;
          if (stride != 1)
            at = arith::MulIOp::create(
                b, loc, at, arith::ConstantIndexOp::create(b, loc, stride));
          if (begin != 0)
            at = arith::AddIOp::create(
                b, loc, at, arith::ConstantIndexOp::create(b, loc, begin));
          place.push_back(at);
        }
        return tensor::ExtractOp::create(b, loc, x, place);
      })};
}

bool StridedBlockOp::gathersOperands() { return true; }
bool StridedBlockOp::keepsRows() { return false; }

LogicalResult StridedBlockOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                            MutableArrayRef<Value> result) {
  ArrangeExpr e{b, getLoc()};
  result[0] = e.place(gradients[0], tensorType(getX()).getShape(), getBegin(),
                      getStrides(), 0);
  return success();
}

LogicalResult PlaceBlockOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  auto rank = static_cast<int64_t>(getDims().size());
  if (rank != type.getRank()) // (C1)
    return emitOpError() << "has the sizes of " << rank
                         << " dimensions, expected " << type.getRank()
                         << " as in " << type;
  for (int64_t dim : getDims())
    if (dim < 0) // (C2)
      return emitOpError() << "has a dimension of size " << dim
                           << ", expected no negative size";
  if (failed(verifyBlock(*this, getDims(), getBegin(), type.getShape(),
                         getStrides())) ||
      failed(verifyNumber(*this, "value", getValue().convertToDouble(),
                          type))) // (C4)
    return failure();
  types.push_back(type.clone(getDims()));
  return success();
}

SmallVector<Value> PlaceBlockOp::lowerToLinalg(OpBuilder &b,
                                               ValueRange operands) {
  Value x = operands[0];
  RankedTensorType block = tensorType(x), to = lowerType(getY().getType());
  return {buildFromIndices(
      b, getLoc(), to,
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        auto number = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, loc, value);
        };
        Value outside =
            numberOf(b, loc, to.getElementType(), getValue().convertToDouble());
        if (block.getNumElements() == 0)
          return outside;
        // The nearest element of the block is read wherever it is, and chosen
        // where it lies here: code for vectors has no branches.
        SmallVector<Value> place;
        Value isInside;
        for (auto [dim, index] : llvm::enumerate(indices)) {
          int64_t size = block.getDimSize(dim), begin = getBegin()[dim];
          int64_t stride = getStrides()[dim], step = std::abs(stride);
          if (begin == 0 && stride == 1 && size == to.getDimSize(dim)) {
            place.push_back(index);
            continue;
          }
          Value distance =
              stride > 0 ? arith::SubIOp::create(b, loc, index, number(begin))
                         : arith::SubIOp::create(b, loc, number(begin), index);
          Value at = distance;
          if (step != 1)
            at = arith::DivSIOp::create(b, loc, at, number(step));
          at = arith::MaxSIOp::create(b, loc, at, number(0));
          at = arith::MinSIOp::create(b, loc, at, number(size - 1));
          Value back = at;
          if (step != 1)
            back = arith::MulIOp::create(b, loc, at, number(step));
          Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               back, distance);
          isInside = isInside ? arith::AndIOp::create(b, loc, isInside, isHere)
                              : isHere;
          place.push_back(at);
        }
        Value element = tensor::ExtractOp::create(b, loc, x, place);
        return isInside
                   ? arith::SelectOp::create(b, loc, isInside, element, outside)
                   : element;
      })};
}

bool PlaceBlockOp::gathersOperands() { return true; }
bool PlaceBlockOp::keepsRows() { return false; }

LogicalResult PlaceBlockOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                          MutableArrayRef<Value> result) {
  ArrangeExpr e{b, getLoc()};
  ArrayRef<int64_t> size = tensorType(getX()).getShape();
  bool isDense = llvm::all_of(getStrides(), [](int64_t s) { return s == 1; });
  // An empty block may lie anywhere, a slice not.
  result[0] = isDense && tensorType(getX()).getNumElements() > 0
                  ? e.slice(gradients[0], getBegin(), size)
                  : e.block(gradients[0], getBegin(), size, getStrides());
  return success();
}
