// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of linear algebra. Bounds of errors are those of an algorithm,
// so that eliminations take the steps that the ops document.
#include "dialects/tfir/ops/linear_algebra/TfirLinearOps.h"
#include "lib/interpreter/ElementMap.h"
#include "lib/interpreter/Gather.h"

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

/// One matrix of a batch.
struct Matrix {
  int64_t rows, columns;
  std::vector<Element> cells;

  Element &at(int64_t row, int64_t column) {
    return cells[row * columns + column];
  }
  void swapRows(int64_t a, int64_t b) {
    for (int64_t column = 0; column < columns; ++column)
      std::swap(at(a, column), at(b, column));
  }
};

/// Matrix `number` of a tensor.
Matrix matrixOf(const Tensor &x, int64_t number) {
  int64_t rows = x.shape[x.rank() - 2], columns = x.shape[x.rank() - 1];
  auto first = x.elements.begin() + number * rows * columns;
  return {rows, columns, {first, first + rows * columns}};
}

Matrix transposed(Matrix x) {
  Matrix y{x.columns, x.rows, {}};
  for (int64_t row = 0; row < y.rows; ++row)
    for (int64_t column = 0; column < y.columns; ++column)
      y.cells.push_back(x.at(column, row));
  return y;
}

/// Calls `make` with the number of each matrix of `like` and gives the result
/// what it returns, one after another.
template <typename Function>
LogicalResult eachMatrix(Value result, const Tensor &like, Frame &frame,
                         Function make) {
  int64_t count = 1;
  for (int64_t i = 0; i + 2 < like.rank(); ++i)
    count *= like.shape[i];
  std::vector<Element> elements;
  for (int64_t i = 0; i < count; ++i)
    llvm::append_range(elements, make(i));
  frame.setElements(result, std::move(elements));
  return success();
}

/// Gauss and Jordan's elimination, and its special cases.
class Elimination : FloatMath {
public:
  explicit Elimination(ElementKind kind) : FloatMath(kind) {}

  /// Only the lower triangle is read; its derivative is that of a symmetric
  /// matrix.
  Matrix cholesky(Matrix x) const {
    for (int64_t row = 0; row < x.rows; ++row)
      for (int64_t column = 0; column < row; ++column)
        x.at(row, column).slope =
            (x.at(row, column).slope + x.at(column, row).slope) / 2;
    for (int64_t k = 0; k < x.rows; ++k) {
      Element root = sqrt(x.at(k, k));
      for (int64_t row = k; row < x.rows; ++row)
        x.at(row, k) = div(x.at(row, k), root);
      for (int64_t row = k + 1; row < x.rows; ++row)
        for (int64_t column = k + 1; column <= row; ++column)
          x.at(row, column) =
              sub(x.at(row, column), mul(x.at(row, k), x.at(column, k)));
    }
    for (int64_t row = 0; row < x.rows; ++row)
      for (int64_t column = row + 1; column < x.columns; ++column)
        x.at(row, column) = Element::exact(0);
    return x;
  }

  /// The side of the diagonal that is not `isLower` is not read.
  Matrix triangular(Matrix x, Matrix y, bool isLower) const {
    for (int64_t i = 0; i < x.rows; ++i) {
      int64_t k = isLower ? i : x.rows - 1 - i;
      for (int64_t column = 0; column < y.columns; ++column)
        y.at(k, column) = div(y.at(k, column), x.at(k, k));
      for (int64_t row = isLower ? k + 1 : 0; row < (isLower ? x.rows : k);
           ++row)
        for (int64_t column = 0; column < y.columns; ++column)
          y.at(row, column) =
              sub(y.at(row, column), mul(x.at(row, k), y.at(k, column)));
    }
    return y;
  }

  Matrix solve(Matrix x, Matrix y) {
    for (int64_t k = 0; k < x.rows; ++k) {
      int64_t pivot = pivotOf(x, k);
      x.swapRows(k, pivot);
      y.swapRows(k, pivot);
      Element own = x.at(k, k);
      for (Matrix *each : {&x, &y})
        for (int64_t column = 0; column < each->columns; ++column)
          if (each == &y || column > k)
            each->at(k, column) = div(each->at(k, column), own);
      for (int64_t row = 0; row < x.rows; ++row)
        for (Matrix *each : {&x, &y})
          for (int64_t column = 0; row != k && column < each->columns; ++column)
            if (each == &y || column > k)
              each->at(row, column) =
                  sub(each->at(row, column),
                      mul(x.at(row, k), each->at(k, column)));
    }
    for (Element &cell : y.cells)
      if (!isCertain)
        cell = Element::anything(cell.value, cell.slope);
    return y;
  }

  Element determinant(Matrix x) {
    Element product = Element::exact(1);
    for (int64_t k = 0; k < x.rows; ++k) {
      int64_t pivot = pivotOf(x, k);
      x.swapRows(k, pivot);
      Element own = x.at(k, k);
      Element factor = pivot == k ? own : neg(own);
      product = k ? mul(product, factor) : factor;
      Truth isZero = equal(own, Element::exact(0));
      isCertain &= isZero.isKnown;
      for (int64_t row = k + 1; row < x.rows; ++row) {
        Element part =
            isZero.value ? Element::exact(0) : div(x.at(row, k), own);
        for (int64_t column = k + 1; column < x.columns; ++column)
          x.at(row, column) =
              sub(x.at(row, column), mul(part, x.at(k, column)));
      }
    }
    return isCertain ? product
                     : Element::anything(product.value, product.slope);
  }

private:
  /// The row with the largest element of column `first`, from that row on.
  int64_t pivotOf(Matrix &x, int64_t first) {
    int64_t best = first;
    for (int64_t row = first + 1; row < x.rows; ++row) {
      Truth isLarger = less(abs(x.at(best, first)), abs(x.at(row, first)));
      isCertain &= isLarger.isKnown;
      if (isLarger.value)
        best = row;
    }
    return best;
  }

  bool isCertain = true; ///< rounding decides no branch
};

LogicalResult cholesky(CholeskyOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return eachMatrix(op.getY(), x, frame, [&](int64_t i) {
    return Elimination(x.kind).cholesky(matrixOf(x, i)).cells;
  });
}

LogicalResult triangularSolve(TriangularSolveOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getMatrix()), &y = frame.get(op.getRhs());
  return eachMatrix(op.getY(), x, frame, [&](int64_t i) {
    Matrix matrix = matrixOf(x, i);
    if (op.getAdjoint())
      matrix = transposed(matrix);
    return Elimination(x.kind)
        .triangular(matrix, matrixOf(y, i), op.getLower() != op.getAdjoint())
        .cells;
  });
}

std::vector<Element> solved(const Tensor &x, int64_t i, bool adjoint,
                            Matrix rhs) {
  Matrix matrix = matrixOf(x, i);
  return Elimination(x.kind)
      .solve(adjoint ? transposed(matrix) : matrix, std::move(rhs))
      .cells;
}

LogicalResult matrixSolve(MatrixSolveOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getMatrix()), &y = frame.get(op.getRhs());
  return eachMatrix(op.getY(), x, frame, [&](int64_t i) {
    return solved(x, i, op.getAdjoint(), matrixOf(y, i));
  });
}

LogicalResult matrixInverse(MatrixInverseOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return eachMatrix(op.getY(), x, frame, [&](int64_t i) {
    int64_t rows = x.shape.back();
    Matrix eye{rows, rows,
               std::vector<Element>(rows * rows, Element::exact(0))};
    for (int64_t row = 0; row < rows; ++row)
      eye.at(row, row) = Element::exact(1);
    return solved(x, i, op.getAdjoint(), eye);
  });
}

LogicalResult determinant(MatrixDeterminantOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return eachMatrix(op.getY(), x, frame, [&](int64_t i) {
    return std::vector{Elimination(x.kind).determinant(matrixOf(x, i))};
  });
}

LogicalResult trace(TraceOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return eachMatrix(op.getY(), x, frame, [&](int64_t i) {
    Matrix matrix = matrixOf(x, i);
    std::vector<Element> terms;
    for (int64_t k = 0; k < std::min(matrix.rows, matrix.columns); ++k)
      terms.push_back(matrix.at(k, k));
    if (x.isFloat())
      return std::vector{FloatMath(x.kind).sum(terms)};
    Element sum = Element::of(0);
    for (const Element &term : terms)
      sum = wrap(x.kind, Element::of(add64(sum.integer, term.integer),
                                     sum.isKnown && term.isKnown));
    return std::vector{sum};
  });
}

LogicalResult matrixTranspose(MatrixTransposeOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    std::swap(from.end()[-1], from.end()[-2]);
    return from;
  });
}

} // namespace

void addLinearOps(OpTable &table) {
  table.add<CholeskyOp>(cholesky);
  table.add<TriangularSolveOp>(triangularSolve);
  table.add<MatrixSolveOp>(matrixSolve);
  table.add<MatrixInverseOp>(matrixInverse);
  table.add<MatrixDeterminantOp>(determinant);
  table.add<TraceOp>(trace);
  table.add<MatrixTransposeOp>(matrixTranspose);
}

} // namespace graphc::interpreter
