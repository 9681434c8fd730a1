// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges and grids of numbers, and shapes as tensors.
#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

namespace {

constexpr int64_t kMaxNumbers = std::numeric_limits<int32_t>::max();

Results one(Value value) { return SmallVector<Value>{value}; }

} // namespace

//===-- Ranges ------------------------------------------------------------===//

LogicalResult IotaOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getOutput());
  if (type.hasStaticShape() && type.getNumElements() > kMaxNumbers) // (C1)
    return emitOpError() << "makes " << type.getNumElements()
                         << " elements, at most " << kMaxNumbers
                         << " are possible";
  types.push_back(type);
  return success();
}

SmallVector<Value> IotaOp::lowerToLinalg(OpBuilder &b, ValueRange) {
  RankedTensorType type = lowerType(getOutput().getType());
  return {buildFromIndices(
      b, getLoc(), type,
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        Value place;
        SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
        for (auto [index, stride] : llvm::zip(indices, strides)) {
          Value term = index;
          if (stride != 1)
            term = arith::MulIOp::create(
                b, loc, index, arith::ConstantIndexOp::create(b, loc, stride));
          place = place ? arith::AddIOp::create(b, loc, place, term) : term;
        }
        if (!place)
          place = arith::ConstantIndexOp::create(b, loc, 0);
        Type element = type.getElementType();
        if (!isa<FloatType>(element))
          return arith::IndexCastOp::create(b, loc, element, place);
        Value number =
            arith::IndexCastOp::create(b, loc, b.getI32Type(), place);
        return arith::SIToFPOp::create(b, loc, element, number);
      })};
}

bool IotaOp::keepsRows() { return false; }

namespace {

/// The numbers of a range; nothing where an operand is no constant.
struct RangeNumbers {
  double start = 0, limit = 0, delta = 1;
  int64_t count = 0;
};

std::optional<double> numberOf(Value value, bool isFloat) {
  auto constant = value.getDefiningOp<ConstOp>();
  auto numbers =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!numbers || numbers.getNumElements() != 1)
    return std::nullopt;
  if (isFloat)
    return (*numbers.value_begin<APFloat>()).convertToDouble();
  APInt number = *numbers.value_begin<APInt>();
  bool isUnsigned = tensorType(value).getElementType().isUnsignedInteger();
  return isUnsigned ? static_cast<double>(number.getZExtValue())
                    : static_cast<double>(number.getSExtValue());
}

FailureOr<RangeNumbers> rangeOf(RangeOp op) {
  size_t count = op.getLimits().size();
  if (count < 1 || count > 3) // (C1)
    return op.emitOpError() << "has " << count
                            << " operands, expected a limit, or a start, a "
                               "limit and perhaps a delta";
  Type element = tensorType(op.getLimits()[0]).getElementType();
  SmallVector<double> numbers;
  for (Value value : op.getLimits()) {
    RankedTensorType type = tensorType(value);
    if (type.getRank() != 0 || type.getElementType() != element) // (C1)
      return op.emitOpError() << "has an operand of type " << type
                              << ", expected scalars of type " << element;
    std::optional<double> number = numberOf(value, isa<FloatType>(element));
    if (!number) // (C1)
      return op.emitOpError()
             << "has an operand that is no constant, on which the shape of "
                "the result would depend; write a number";
    numbers.push_back(*number);
  }
  RangeNumbers range;
  range.limit = numbers[count == 1 ? 0 : 1];
  if (count > 1)
    range.start = numbers[0];
  if (count > 2)
    range.delta = numbers[2];
  double length = range.limit - range.start;
  if (!(range.delta > 0 ? length >= 0 : range.delta < 0 && length <= 0)) // (C2)
    return op.emitOpError()
           << "goes from " << range.start << " to " << range.limit << " by "
           << range.delta << ", which never gets there";
  // As the element type divides.
  double steps = std::ceil(
      element.isF32() ? static_cast<double>(static_cast<float>(length) /
                                            static_cast<float>(range.delta))
                      : length / range.delta);
  if (!(steps <= static_cast<double>(kMaxNumbers))) // (C3)
    return op.emitOpError() << "makes " << steps << " elements, at most "
                            << kMaxNumbers << " are possible";
  range.count = static_cast<int64_t>(steps);
  return range;
}

} // namespace

LogicalResult RangeOp::inferTypes(Types &types) {
  FailureOr<RangeNumbers> range = rangeOf(*this);
  if (failed(range))
    return failure();
  types.push_back(RankedTensorType::get(
      {range->count}, tensorType(getLimits()[0]).getElementType()));
  return success();
}

Results RangeOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  RankedTensorType type = getY().getType();
  Value y =
      ArrangeExpr{b, getLoc()}.iota(type.getShape(), type.getElementType());
  if (getLimits().size() > 2)
    y = e.mul(y, getLimits()[2]);
  return one(getLimits().size() > 1 ? e.add(y, getLimits()[0]) : y);
}

LogicalResult LinspaceOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getStart());
  if (getStart().getType() != getStop().getType() ||
      type.getRank() != 0) // (C1)
    return emitOpError() << "goes from " << type << " to "
                         << getStop().getType()
                         << ", expected two scalars of one type";
  auto num = static_cast<int64_t>(getNum());
  if (num < 1 || num > kMaxNumbers) // (C2)
    return emitOpError() << "num is " << num << ", expected at least 1";
  types.push_back(RankedTensorType::get({num}, type.getElementType()));
  return success();
}

Results LinspaceOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  RankedTensorType type = getY().getType();
  auto last = static_cast<double>(getNum() - 1);
  if (last == 0)
    return one(ReshapeOp::create(b, getLoc(), type, getStart()));
  Value distance = e.sub(getStop(), getStart());
  Value step = e.div(distance, e.number(distance, last));
  Value places =
      ArrangeExpr{b, getLoc()}.iota(type.getShape(), type.getElementType());
  return one(e.add(e.mul(places, step), getStart()));
}

LogicalResult MeshgridOp::inferTypes(Types &types) {
  if (getNumResults() != getXs().size() || getXs().empty()) // (C1)
    return emitOpError() << "has " << getNumResults() << " results, expected "
                         << std::max<size_t>(getXs().size(), 1)
                         << ", one for each operand";
  bool isPicture = getIndexing() == "xy";
  if (!isPicture && getIndexing() != "ij") // (C2)
    return emitOpError() << "the indexing is '" << getIndexing()
                         << "', expected 'xy' or 'ij'";
  Shape shape;
  for (Value x : getXs()) {
    RankedTensorType type = tensorType(x);
    if (type.getRank() > 1) // (C1)
      return emitOpError() << "has an operand of type " << type
                           << ", expected vectors";
    shape.push_back(type.getRank() ? type.getDimSize(0) : 1);
  }
  if (isPicture && shape.size() > 1)
    std::swap(shape[0], shape[1]);
  for (Value x : getXs())
    types.push_back(tensorType(x).clone(shape));
  return success();
}

Results MeshgridOp::decompose(OpBuilder &b) {
  ArrangeExpr e{b, getLoc()};
  bool isPicture = getIndexing() == "xy" && getXs().size() > 1;
  SmallVector<Value> results;
  for (auto [i, x] : llvm::enumerate(getXs())) {
    ArrayRef<int64_t> grid = tensorType(getYs()[i]).getShape();
    Shape shape(grid.size(), 1);
    size_t dim = isPicture && i < 2 ? 1 - i : i;
    shape[dim] = grid[dim];
    results.push_back(e.broadcast(e.reshape(x, shape), grid));
  }
  return results;
}

LogicalResult InvertPermutationOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (type.getRank() != 1) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected a vector";
  auto constant = getX().getDefiningOp<ConstOp>();
  if (auto numbers = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                              : nullptr) {
    SmallVector<bool> seen(type.getDimSize(0), false);
    for (APInt number : numbers.getValues<APInt>()) {
      uint64_t place = number.getZExtValue();
      if (number.isNegative() || place >= seen.size() || seen[place]) // (C2)
        return emitOpError()
               << "is of a constant in which not each number "
                  "from 0 to "
               << static_cast<int64_t>(seen.size()) - 1 << " stands once";
      seen[place] = true;
    }
  }
  types.push_back(type);
  return success();
}

Results InvertPermutationOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  ArrangeExpr a{b, getLoc()};
  RankedTensorType type = tensorType(getX());
  int64_t size = type.getDimSize(0);
  Type element = type.getElementType();
  auto constant = getX().getDefiningOp<ConstOp>();
  if (auto numbers = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                              : nullptr) {
    SmallVector<APInt> places(size, APInt(element.getIntOrFloatBitWidth(), 0));
    for (auto [place, number] : llvm::enumerate(numbers.getValues<APInt>()))
      places[number.getZExtValue()] =
          APInt(element.getIntOrFloatBitWidth(), place);
    return one(ConstOp::create(b, getLoc(), type,
                               DenseElementsAttr::get(type, places)));
  }
  // The sum of the places where the number stands.
  Value places = a.iota({size, 1}, element);
  Value numbers = a.iota({size}, element);
  Value isHere = e.test<EqualOp>(a.reshape(getX(), {size, 1}), numbers);
  Value found = SelectOp::create(b, getLoc(), type.clone({size, size}), isHere,
                                 places, e.number(places, 0));
  return one(SumOp::create(b, getLoc(), type, found,
                           b.getDenseI64ArrayAttr({0}), UnitAttr()));
}

//===-- Shapes as tensors -------------------------------------------------===//

namespace {

/// The result's element type: as it is written, or i32.
Type shapeElement(Operation *op) {
  Type written = tensorType(op->getResult(0)).getElementType();
  return written.isInteger(64) ? written
                               : Type(IntegerType::get(op->getContext(), 32));
}

LogicalResult inferNumbers(Operation *op, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> numbers, Types &types) {
  Type element = shapeElement(op);
  for (int64_t number : numbers)
    if (!ShapedType::isDynamic(number) && element.isInteger(32) &&
        number > kMaxNumbers) // (C1)
      return op->emitOpError() << "gives " << number
                               << ", which is no i32; write i64 as the type "
                                  "of the result";
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

Results constantOf(Operation *op, OpBuilder &b, ArrayRef<int64_t> numbers) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<APInt> elements;
  for (int64_t number : numbers)
    elements.push_back(
        APInt(type.getElementType().getIntOrFloatBitWidth(), number));
  return one(ConstOp::create(b, op->getLoc(), type,
                             DenseElementsAttr::get(type, elements)));
}

} // namespace

LogicalResult ShapeOp::inferTypes(Types &types) {
  ArrayRef<int64_t> shape = tensorType(getX()).getShape();
  return inferNumbers(*this, {static_cast<int64_t>(shape.size())}, shape,
                      types);
}
Results ShapeOp::decompose(OpBuilder &b) {
  return constantOf(*this, b, tensorType(getX()).getShape());
}

LogicalResult SizeOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  int64_t size =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  return inferNumbers(*this, {}, size, types);
}
Results SizeOp::decompose(OpBuilder &b) {
  return constantOf(*this, b, tensorType(getX()).getNumElements());
}

LogicalResult RankOp::inferTypes(Types &types) {
  return inferNumbers(*this, {}, tensorType(getX()).getRank(), types);
}
Results RankOp::decompose(OpBuilder &b) {
  return constantOf(*this, b, tensorType(getX()).getRank());
}
