// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges, grids, diagonals and bands of matrices, and shapes as tensors.
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirMatrixOps.cpp.inc"

namespace {

constexpr int64_t kMaxNumbers = std::numeric_limits<int32_t>::max();

Results one(Value value) { return SmallVector<Value>{value}; }

bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

/// The numbers from 0 on in a tensor of the shape.
Value iota(OpBuilder &b, Location loc, ArrayRef<int64_t> shape, Type element) {
  return IotaOp::create(b, loc, RankedTensorType::get(shape, element));
}

int64_t productOf(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

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
  Value y = iota(b, getLoc(), type.getShape(), type.getElementType());
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
  Value places = iota(b, getLoc(), type.getShape(), type.getElementType());
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
  Value places = iota(b, getLoc(), {size, 1}, element);
  Value numbers = iota(b, getLoc(), {size}, element);
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
    if (!isOpen(number) && element.isInteger(32) &&
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

//===-- Diagonals ---------------------------------------------------------===//

LogicalResult EyeOp::inferTypes(Types &types) {
  Shape shape(getBatchShape().value_or(ArrayRef<int64_t>()));
  auto rows = static_cast<int64_t>(getNumRows());
  shape.push_back(rows);
  shape.push_back(static_cast<int64_t>(getNumColumns().value_or(rows)));
  for (int64_t size : shape)
    if (size < 0) // (C1)
      return emitOpError() << "has a dimension of size " << size
                           << ", expected no negative size";
  // A call has a scalar for a result that is not known yet.
  RankedTensorType written = tensorType(getY());
  Type element = written.getRank() ? written.getElementType()
                                   : Type(Float32Type::get(getContext()));
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

Results EyeOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  ArrangeExpr a{b, getLoc()};
  RankedTensorType type = getY().getType();
  ArrayRef<int64_t> matrix = type.getShape().take_back(2);
  Value rows = iota(b, getLoc(), {matrix[0], 1}, b.getI32Type());
  Value columns = iota(b, getLoc(), {matrix[1]}, b.getI32Type());
  Value y = e.test<EqualOp>(rows, columns);
  if (!type.getElementType().isInteger(1))
    y = CastOp::create(b, getLoc(), type.clone(matrix), y);
  if (type.getRank() > 2)
    y = a.broadcast(y, type.getShape());
  return one(y);
}

namespace {

/// Rows of `size` elements, each on the diagonal of a square matrix; none where
/// the result is empty, which depends on the operand all the same.
Value placeDiagonal(ArrangeExpr e, Value x, int64_t size,
                    ArrayRef<int64_t> shape) {
  int64_t rows = productOf(shape) / std::max<int64_t>(size * size, 1);
  Value flat = e.reshape(x, {rows, size});
  return e.reshape(e.place(flat, {rows, size * size}, {0, 0}, {1, size + 1}, 0),
                   shape);
}

/// The diagonals of `count` matrices.
Value takeDiagonal(ArrangeExpr e, Value x, int64_t count, int64_t rows,
                   int64_t columns, ArrayRef<int64_t> shape) {
  Value flat = e.reshape(x, {count, rows * columns});
  return e.reshape(
      e.block(flat, {0, 0}, {count, std::min(rows, columns)}, {1, columns + 1}),
      shape);
}

LogicalResult verifyMatrices(Operation *op, RankedTensorType type) {
  if (type.getRank() >= 2)
    return success();
  return op->emitOpError() << "the operand has the type " << type
                           << ", expected two dimensions at least";
}

} // namespace

LogicalResult DiagOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  Shape shape(type.getShape());
  llvm::append_range(shape, type.getShape());
  types.push_back(type.clone(shape));
  return success();
}

Results DiagOp::decompose(OpBuilder &b) {
  RankedTensorType type = getY().getType();
  return one(placeDiagonal({b, getLoc()}, getX(),
                           tensorType(getX()).getNumElements(),
                           type.getShape()));
}

LogicalResult DiagPartOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  ArrayRef<int64_t> first = type.getShape().take_front(type.getRank() / 2);
  if (type.getRank() % 2 != 0 ||
      failed(verifyCompatibleShape(
          first, type.getShape().drop_front(first.size())))) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected an even rank, and the same sizes in "
                            "both halves";
  types.push_back(type.clone(first));
  return success();
}

Results DiagPartOp::decompose(OpBuilder &b) {
  RankedTensorType type = getY().getType();
  int64_t size = type.getNumElements();
  return one(
      takeDiagonal({b, getLoc()}, getX(), 1, size, size, type.getShape()));
}

LogicalResult MatrixDiagOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (type.getRank() == 0) // (C1)
    return emitOpError() << "the operand has the type " << type
                         << ", expected a dimension at least";
  Shape shape(type.getShape());
  shape.push_back(shape.back());
  types.push_back(type.clone(shape));
  return success();
}

Results MatrixDiagOp::decompose(OpBuilder &b) {
  RankedTensorType type = getY().getType();
  return one(placeDiagonal({b, getLoc()}, getX(), type.getShape().back(),
                           type.getShape()));
}

LogicalResult MatrixDiagPartOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyMatrices(*this, type))) // (C1)
    return failure();
  Shape shape(type.getShape());
  int64_t columns = shape.pop_back_val();
  shape.back() = isOpen(columns) || isOpen(shape.back())
                     ? ShapedType::kDynamic
                     : std::min(columns, shape.back());
  types.push_back(type.clone(shape));
  return success();
}

Results MatrixDiagPartOp::decompose(OpBuilder &b) {
  ArrayRef<int64_t> shape = tensorType(getX()).getShape();
  ArrayRef<int64_t> matrix = shape.take_back(2);
  return one(takeDiagonal({b, getLoc()}, getX(), productOf(shape.drop_back(2)),
                          matrix[0], matrix[1], getY().getType().getShape()));
}

//===-- Bands -------------------------------------------------------------===//

namespace {

/// Zeros but where column - row is in [lowest, highest]; null: no bound.
Value bandOf(OpBuilder &b, Location loc, Value x, std::optional<int64_t> lowest,
             std::optional<int64_t> highest) {
  OpExpr e{b, loc};
  RankedTensorType type = tensorType(x);
  ArrayRef<int64_t> matrix = type.getShape().take_back(2);
  // Bounds beyond all diagonals are none, and fit into 32 bits.
  if (lowest && *lowest <= -matrix[0])
    lowest = std::nullopt;
  if (highest && *highest >= matrix[1])
    highest = std::nullopt;
  if (!lowest && !highest)
    return ReshapeOp::create(b, loc, type, x);
  Value rows = iota(b, loc, {matrix[0], 1}, b.getI32Type());
  Value columns = iota(b, loc, {matrix[1]}, b.getI32Type());
  Value isInside;
  auto bound = [&](Value test) {
    isInside =
        isInside ? LogicalAndOp::create(b, loc, test.getType(), isInside, test)
                 : test;
  };
  if (lowest) {
    double shift = static_cast<double>(std::min(*lowest, matrix[1]));
    bound(e.test<GreaterEqualOp>(columns, e.shift(rows, shift)));
  }
  if (highest) {
    double shift = static_cast<double>(std::max(*highest, -matrix[0]));
    bound(e.test<LessEqualOp>(columns, e.shift(rows, shift)));
  }
  if (type.getElementType().isInteger(1))
    return LogicalAndOp::create(b, loc, type, x, isInside);
  return e.where(isInside, x);
}

template <typename Op> LogicalResult inferBand(Op op, Types &types) {
  RankedTensorType type = tensorType(op.getX());
  if (failed(verifyMatrices(op, type))) // (C1)
    return failure();
  types.push_back(type);
  return success();
}

} // namespace

LogicalResult MatrixBandPartOp::inferTypes(Types &types) {
  return inferBand(*this, types);
}
LogicalResult TriuOp::inferTypes(Types &types) {
  return inferBand(*this, types);
}
LogicalResult TrilOp::inferTypes(Types &types) {
  return inferBand(*this, types);
}

Results MatrixBandPartOp::decompose(OpBuilder &b) {
  auto lower = static_cast<int64_t>(getNumLower());
  auto upper = static_cast<int64_t>(getNumUpper());
  std::optional<int64_t> lowest, highest;
  if (lower >= 0)
    lowest = -lower;
  if (upper >= 0)
    highest = upper;
  return one(bandOf(b, getLoc(), getX(), lowest, highest));
}

Results TriuOp::decompose(OpBuilder &b) {
  return one(bandOf(b, getLoc(), getX(), static_cast<int64_t>(getDiagonal()),
                    std::nullopt));
}

Results TrilOp::decompose(OpBuilder &b) {
  return one(bandOf(b, getLoc(), getX(), std::nullopt,
                    static_cast<int64_t>(getDiagonal())));
}
