// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagonals and bands of matrices.
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirMatrixOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

int64_t productOf(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

} // namespace

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
  Value rows = a.iota({matrix[0], 1}, b.getI32Type());
  Value columns = a.iota({matrix[1]}, b.getI32Type());
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
  ArrangeExpr a{b, loc};
  Value rows = a.iota({matrix[0], 1}, b.getI32Type());
  Value columns = a.iota({matrix[1]}, b.getI32Type());
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
