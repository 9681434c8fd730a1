// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/ops/linear_algebra/Elimination.h"

#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace graphc::tfir {

namespace {

using Shape = SmallVector<int64_t>;

/// Scalar arithmetic at one place of a batch of matrices.
struct Cell {
  OpBuilder &b;
  Location loc;
  ValueRange at; ///< of the result: the batch, row and column

  Value index(int64_t value) const {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  /// The element of a matrix of the same place of the batch; the batch is all
  /// of `at` but its last `own` indices.
  Value read(Value matrices, Value row, Value column, size_t own = 2) const {
    SmallVector<Value> place(at.drop_back(own));
    place.push_back(row);
    place.push_back(column);
    return tensor::ExtractOp::create(b, loc, matrices, place);
  }
  /// The element that each matrix has one of.
  Value readOne(Value values, size_t own = 2) const {
    return tensor::ExtractOp::create(b, loc, values, at.drop_back(own));
  }
  Value is(arith::CmpIPredicate predicate, Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value equal(Value x, Value y) const {
    return is(arith::CmpIPredicate::eq, x, y);
  }
  Value both(Value x, Value y) const {
    return arith::AndIOp::create(b, loc, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value sub(Value x, Value y) const {
    return arith::SubFOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value div(Value x, Value y) const {
    return arith::DivFOp::create(b, loc, x, y);
  }
  Value next(Value i) const {
    return arith::AddIOp::create(b, loc, i, index(1));
  }
};

using CellBody = function_ref<Value(const Cell &)>;

Value fromCells(OpBuilder &b, Location loc, RankedTensorType type,
                CellBody body) {
  return buildFromIndices(b, loc, type,
                          [&](OpBuilder &b, Location loc, ValueRange at) {
                            return body(Cell{b, loc, at});
                          });
}

RankedTensorType typeOf(Value matrices) {
  return cast<RankedTensorType>(matrices.getType());
}

/// The type with other matrices.
RankedTensorType withMatrices(RankedTensorType type, ArrayRef<int64_t> matrix) {
  Shape shape(type.getShape().drop_back(2));
  llvm::append_range(shape, matrix);
  return type.clone(shape);
}

/// For each matrix, the row from `first` on with the largest element in the
/// first column.
Value findPivots(OpBuilder &b, Location loc, Value matrices, int64_t first) {
  RankedTensorType type = typeOf(matrices);
  int64_t rows = type.getShape().end()[-2];
  auto places =
      RankedTensorType::get(type.getShape().drop_back(2), b.getIndexType());
  auto words = RankedTensorType::get(places.getShape(), b.getI32Type());
  return fromCells(b, loc, words, [&](const Cell &cell) -> Value {
    auto sizeOf = [&](const Cell &own, Value row) -> Value {
      return math::AbsFOp::create(own.b, own.loc,
                                  own.read(matrices, row, own.index(0), 0));
    };
    Value begin = cell.index(first);
    auto loop = scf::ForOp::create(cell.b, cell.loc, cell.index(first + 1),
                                   cell.index(rows), cell.index(1),
                                   ValueRange{begin, sizeOf(cell, begin)});
    {
      OpBuilder::InsertionGuard guard(cell.b);
      cell.b.setInsertionPointToStart(loop.getBody());
      Value row = loop.getInductionVar();
      Value best = loop.getRegionIterArg(0), size = loop.getRegionIterArg(1);
      Value its = sizeOf(cell, row);
      Value isLarger = arith::CmpFOp::create(
          cell.b, cell.loc, arith::CmpFPredicate::OGT, its, size);
      scf::YieldOp::create(cell.b, cell.loc,
                           ValueRange{cell.select(isLarger, row, best),
                                      cell.select(isLarger, its, size)});
    }
    return arith::IndexCastOp::create(cell.b, cell.loc, cell.b.getI32Type(),
                                      loop.getResult(0));
  });
}

Value pivotOf(const Cell &cell, Value pivots, size_t own = 2) {
  return arith::IndexCastOp::create(cell.b, cell.loc, cell.b.getIndexType(),
                                    cell.readOne(pivots, own));
}

} // namespace

Value buildCholesky(OpBuilder &b, Location loc, Value matrices) {
  using enum arith::CmpIPredicate;
  RankedTensorType type = typeOf(matrices);
  int64_t rows = type.getShape().back();
  Value from = matrices;
  for (int64_t k = 0; k < rows; ++k)
    from = fromCells(b, loc, type, [&](const Cell &cell) -> Value {
      Value own = cell.index(k);
      Value row = cell.at.end()[-2], column = cell.at.end()[-1];
      Value here = cell.read(from, row, column);
      Value pivot = cell.read(from, own, own);
      Value first = cell.read(from, row, own);
      // Above the diagonal is what is not read; it is dropped at the end. A
      // root that is NaN makes all that follows NaN.
      Value root = math::SqrtOp::create(cell.b, cell.loc, pivot);
      Value scaled = cell.div(first, root);
      Value other = cell.div(cell.read(from, column, own), root);
      Value rest = cell.sub(here, cell.mul(scaled, other));
      Value isBelow = cell.is(uge, row, column);
      Value isColumn = cell.both(cell.equal(column, own), isBelow);
      Value isRest = cell.both(cell.is(ugt, column, own), isBelow);
      return cell.select(isColumn, scaled, cell.select(isRest, rest, here));
    });
  return fromCells(b, loc, type, [&](const Cell &cell) -> Value {
    Value row = cell.at.end()[-2], column = cell.at.end()[-1];
    return cell.select(cell.is(uge, row, column), cell.read(from, row, column),
                       scalar(cell.b, cell.loc, type.getElementType(), 0));
  });
}

Value buildTriangularSolve(OpBuilder &b, Location loc, Value matrices,
                           Value rhs, bool lower, bool transposed) {
  using enum arith::CmpIPredicate;
  int64_t rows = typeOf(matrices).getShape().back();
  bool isForward = lower != transposed;
  Value from = rhs;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t k = isForward ? i : rows - 1 - i;
    from = fromCells(b, loc, typeOf(rhs), [&](const Cell &cell) -> Value {
      Value own = cell.index(k);
      Value row = cell.at.end()[-2], column = cell.at.end()[-1];
      Value factor = transposed ? cell.read(matrices, own, row)
                                : cell.read(matrices, row, own);
      Value solved =
          cell.div(cell.read(from, own, column), cell.read(matrices, own, own));
      Value here = cell.read(from, row, column);
      Value rest = cell.sub(here, cell.mul(factor, solved));
      Value isRest = cell.is(isForward ? ugt : ult, row, own);
      return cell.select(cell.equal(row, own), solved,
                         cell.select(isRest, rest, here));
    });
  }
  return from;
}

Value buildSolve(OpBuilder &b, Location loc, Value matrices, Value rhs) {
  using enum arith::CmpIPredicate;
  RankedTensorType type = typeOf(rhs);
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back();
  // Matrix and right side as one; each step drops the first column.
  Value from =
      fromCells(b, loc, withMatrices(type, {rows, rows + columns}),
                [&](const Cell &cell) -> Value {
                  Value row = cell.at.end()[-2], column = cell.at.end()[-1];
                  Value count = cell.index(rows);
                  Value isMatrix = cell.is(ult, column, count);
                  Value left = cell.select(isMatrix, column, cell.index(0));
                  Value right = cell.select(
                      isMatrix, cell.index(0),
                      arith::SubIOp::create(cell.b, cell.loc, column, count));
                  return cell.select(isMatrix, cell.read(matrices, row, left),
                                     cell.read(rhs, row, right));
                });
  for (int64_t k = 0; k < rows; ++k) {
    Value pivots = findPivots(b, loc, from, k);
    from = fromCells(
        b, loc, withMatrices(type, {rows, rows + columns - k - 1}),
        [&](const Cell &cell) -> Value {
          Value row = cell.at.end()[-2], column = cell.next(cell.at.end()[-1]);
          Value own = cell.index(k), zero = cell.index(0);
          Value pivot = pivotOf(cell, pivots);
          Value source = cell.select(cell.equal(row, pivot), own, row);
          Value solved = cell.div(cell.read(from, pivot, column),
                                  cell.read(from, pivot, zero));
          Value rest =
              cell.sub(cell.read(from, source, column),
                       cell.mul(cell.read(from, source, zero), solved));
          return cell.select(cell.equal(row, own), solved, rest);
        });
  }
  return from;
}

Value buildDeterminant(OpBuilder &b, Location loc, Value matrices) {
  RankedTensorType type = typeOf(matrices);
  Type element = type.getElementType();
  int64_t rows = type.getShape().back();
  auto each = type.clone(type.getShape().drop_back(2));
  Value from = matrices, product;
  for (int64_t left = rows; left > 0; --left) {
    Value pivots = findPivots(b, loc, from, 0);
    product = fromCells(b, loc, each, [&](const Cell &cell) -> Value {
      Value zero = cell.index(0), pivot = pivotOf(cell, pivots, 0);
      Value own = cell.read(from, pivot, zero, 0);
      Value turned = arith::NegFOp::create(cell.b, cell.loc, own);
      own = cell.select(cell.equal(pivot, zero), own, turned);
      return product ? cell.mul(cell.readOne(product, 0), own) : own;
    });
    if (left == 1)
      break;
    from = fromCells(
        b, loc, withMatrices(type, {left - 1, left - 1}),
        [&](const Cell &cell) -> Value {
          Value row = cell.next(cell.at.end()[-2]);
          Value column = cell.next(cell.at.end()[-1]);
          Value zero = cell.index(0), pivot = pivotOf(cell, pivots);
          Value source = cell.select(cell.equal(row, pivot), zero, row);
          Value own = cell.read(from, pivot, zero);
          // Of a column of zeros nothing is left to subtract.
          Value none = scalar(cell.b, cell.loc, element, 0);
          Value isZero = arith::CmpFOp::create(
              cell.b, cell.loc, arith::CmpFPredicate::OEQ, own, none);
          Value factor = cell.select(
              isZero, none, cell.div(cell.read(from, source, zero), own));
          return cell.sub(cell.read(from, source, column),
                          cell.mul(factor, cell.read(from, pivot, column)));
        });
  }
  if (product)
    return product;
  return fromCells(b, loc, each, [&](const Cell &cell) -> Value {
    return scalar(cell.b, cell.loc, element, 1);
  });
}

} // namespace graphc::tfir
