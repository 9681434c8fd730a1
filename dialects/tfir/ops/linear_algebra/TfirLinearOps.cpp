// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra of batches of small matrices.
#include "dialects/tfir/ops/linear_algebra/TfirLinearOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/aggregate/ReductionExpr.h"
#include "dialects/tfir/ops/arrange/ArrangeExpr.h"
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"
#include "dialects/tfir/ops/linear_algebra/Elimination.h"

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;
using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirLinearOps.cpp.inc"

namespace {

Results one(Value value) { return SmallVector<Value>{value}; }

bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

LogicalResult verifySquare(Operation *op, RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() < 2 ||
      failed(verifyCompatibleShape(shape.take_back(1),
                                   shape.drop_back().take_back(1)))) // (C1)
    return op->emitOpError() << "takes matrices of the type " << type
                             << ", expected as many rows as columns";
  for (int64_t size : shape.take_back(2))
    if (!isOpen(size) && size > kMaxMatrixRows) // (C1)
      return op->emitOpError()
             << "takes matrices of " << size << " rows, at most "
             << kMaxMatrixRows << " are possible: there is code for each";
  return success();
}

template <typename Op> LogicalResult inferSolution(Op op, Types &types) {
  RankedTensorType matrix = tensorType(op.getMatrix());
  RankedTensorType rhs = tensorType(op.getRhs());
  if (failed(verifySquare(op, matrix))) // (C1)
    return failure();
  if (matrix.getElementType() != rhs.getElementType() ||
      failed(verifyCompatibleShape(
          matrix.getShape().drop_back(1),
          rhs.getShape().drop_back(rhs.getRank() ? 1 : 0)))) // (C2)
    return op.emitOpError()
           << "has the right side " << rhs << " for " << matrix
           << ", expected the same dimensions but for the last "
              "one";
  types.push_back(rhs);
  return success();
}

/// Gradients, with ops that are not short for others.
struct MatrixExpr : ReductionExpr {
  Value transpose(Value x) {
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, tensorType(x).getRank()));
    std::swap(perm.end()[-1], perm.end()[-2]);
    return ArrangeExpr{b, loc}.transpose(x, perm);
  }
  /// The product of matrices, as sums in order: in the precision of the type.
  Value product(Value x, Value y) {
    Shape left(tensorType(x).getShape()), right(tensorType(y).getShape());
    auto rank = static_cast<int64_t>(left.size());
    left.push_back(1);
    right.insert(right.end() - 2, 1);
    return sum(mul(reshape(x, left), reshape(y, right)), {rank - 1},
               /*keepDims=*/false);
  }
  /// Compares the row with the column of each place.
  template <typename Op> Value compared(ArrayRef<int64_t> matrix) {
    auto places = [&](ArrayRef<int64_t> shape) -> Value {
      return IotaOp::create(b, loc,
                            RankedTensorType::get(shape, b.getI32Type()));
    };
    return test<Op>(places({matrix[0], 1}), places({matrix[1]}));
  }
  template <typename Op> Value part(Value x) {
    return where(compared<Op>(tensorType(x).getShape().take_back(2)), x);
  }
  Value lowerPart(Value x) { return part<GreaterEqualOp>(x); }
  Value upperPart(Value x) { return part<LessEqualOp>(x); }
  Value diagonal(Value x) { return part<EqualOp>(x); }
  /// Ones on the diagonals of matrices of the type.
  Value eye(RankedTensorType type) {
    Value ones = cast(compared<EqualOp>(type.getShape().take_back(2)),
                      type.getElementType());
    return BroadcastToOp::create(b, loc, type, ones);
  }
  Value solveTriangular(Value matrix, Value rhs, bool lower, bool adjoint) {
    return TriangularSolveOp::create(b, loc, rhs.getType(), matrix, rhs, lower,
                                     adjoint);
  }
};

bool hasBatch(Value x) { return tensorType(x).getRank() > 2; }

} // namespace

//===-- Roots -------------------------------------------------------------===//

LogicalResult CholeskyOp::inferTypes(Types &types) {
  if (failed(verifySquare(*this, tensorType(getX())))) // (C1)
    return failure();
  types.push_back(getX().getType());
  return success();
}

bool CholeskyOp::gathersOperands() { return true; }
bool CholeskyOp::keepsRows() { return hasBatch(getX()); }

SmallVector<Value> CholeskyOp::lowerToLinalg(OpBuilder &b,
                                             ValueRange operands) {
  return {buildCholesky(b, getLoc(), operands[0])};
}

/// Murray, "Differentiation of the Cholesky decomposition" (2016): with P the
/// lower triangle and half the diagonal of L^T g, the symmetric part of
/// L^-T P L^-1.
LogicalResult CholeskyOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                        MutableArrayRef<Value> result) {
  MatrixExpr e{{{b, getLoc()}}};
  Value root = getY();
  Value p = e.lowerPart(e.product(e.transpose(root), gradients[0]));
  p = e.sub(p, e.scale(e.diagonal(p), 0.5));
  Value left = e.solveTriangular(root, p, /*lower=*/true, /*adjoint=*/true);
  Value both =
      e.transpose(e.solveTriangular(root, e.transpose(left), true, true));
  result[0] = e.scale(e.add(both, e.transpose(both)), 0.5);
  return success();
}

//===-- Solutions ---------------------------------------------------------===//

LogicalResult TriangularSolveOp::inferTypes(Types &types) {
  return inferSolution(*this, types);
}

bool TriangularSolveOp::gathersOperands() { return true; }
bool TriangularSolveOp::keepsRows() { return hasBatch(getRhs()); }

SmallVector<Value> TriangularSolveOp::lowerToLinalg(OpBuilder &b,
                                                    ValueRange operands) {
  return {buildTriangularSolve(b, getLoc(), operands[0], operands[1],
                               getLower(), getAdjoint())};
}

LogicalResult TriangularSolveOp::buildGradient(OpBuilder &b,
                                               ValueRange gradients,
                                               MutableArrayRef<Value> result) {
  MatrixExpr e{{{b, getLoc()}}};
  Value byRhs =
      e.solveTriangular(getMatrix(), gradients[0], getLower(), !getAdjoint());
  Value byMatrix = getAdjoint() ? e.product(getY(), e.transpose(byRhs))
                                : e.product(byRhs, e.transpose(getY()));
  byMatrix = getLower() ? e.lowerPart(byMatrix) : e.upperPart(byMatrix);
  result[0] = e.neg(byMatrix);
  result[1] = byRhs;
  return success();
}

LogicalResult MatrixSolveOp::inferTypes(Types &types) {
  return inferSolution(*this, types);
}

bool MatrixSolveOp::gathersOperands() { return true; }
bool MatrixSolveOp::keepsRows() { return hasBatch(getRhs()); }
bool MatrixSolveOp::isShorthand() { return getAdjoint(); }

Results MatrixSolveOp::decompose(OpBuilder &b) {
  MatrixExpr e{{{b, getLoc()}}};
  return one(MatrixSolveOp::create(b, getLoc(), getY().getType(),
                                   e.transpose(getMatrix()), getRhs(),
                                   UnitAttr()));
}

SmallVector<Value> MatrixSolveOp::lowerToLinalg(OpBuilder &b,
                                                ValueRange operands) {
  return {buildSolve(b, getLoc(), operands[0], operands[1])};
}

LogicalResult MatrixSolveOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                           MutableArrayRef<Value> result) {
  MatrixExpr e{{{b, getLoc()}}};
  Value byRhs =
      MatrixSolveOp::create(b, getLoc(), getRhs().getType(),
                            e.transpose(getMatrix()), gradients[0], UnitAttr());
  result[0] = e.neg(e.product(byRhs, e.transpose(getY())));
  result[1] = byRhs;
  return success();
}

LogicalResult MatrixInverseOp::inferTypes(Types &types) {
  if (failed(verifySquare(*this, tensorType(getX())))) // (C1)
    return failure();
  types.push_back(getX().getType());
  return success();
}

Results MatrixInverseOp::decompose(OpBuilder &b) {
  MatrixExpr e{{{b, getLoc()}}};
  return one(MatrixSolveOp::create(
      b, getLoc(), getX().getType(), getX(), e.eye(tensorType(getX())),
      getAdjoint() ? b.getUnitAttr() : UnitAttr()));
}

//===-- Numbers of a matrix -----------------------------------------------===//

LogicalResult MatrixDeterminantOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifySquare(*this, type))) // (C1)
    return failure();
  types.push_back(type.clone(type.getShape().drop_back(2)));
  return success();
}

bool MatrixDeterminantOp::gathersOperands() { return true; }
bool MatrixDeterminantOp::keepsRows() { return hasBatch(getX()); }

SmallVector<Value> MatrixDeterminantOp::lowerToLinalg(OpBuilder &b,
                                                      ValueRange operands) {
  return {buildDeterminant(b, getLoc(), operands[0])};
}

LogicalResult
MatrixDeterminantOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  MatrixExpr e{{{b, getLoc()}}};
  RankedTensorType type = tensorType(getX());
  Value inverse = MatrixSolveOp::create(b, getLoc(), type, e.transpose(getX()),
                                        e.eye(type), UnitAttr());
  Shape shape(type.getShape());
  shape.end()[-1] = shape.end()[-2] = 1;
  result[0] = e.mul(e.reshape(e.mul(gradients[0], getY()), shape), inverse);
  return success();
}

static LogicalResult verifyMatrices(Operation *op, RankedTensorType type) {
  if (type.getRank() >= 2) // (C1)
    return success();
  return op->emitOpError() << "the operand has the type " << type
                           << ", expected two dimensions at least";
}

LogicalResult TraceOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyMatrices(*this, type)))
    return failure();
  types.push_back(type.clone(type.getShape().drop_back(2)));
  return success();
}

Results TraceOp::decompose(OpBuilder &b) {
  ReductionExpr e{{b, getLoc()}};
  RankedTensorType type = tensorType(getX());
  Shape shape(type.getShape());
  int64_t columns = shape.pop_back_val();
  shape.back() = std::min(shape.back(), columns);
  Value diagonal =
      MatrixDiagPartOp::create(b, getLoc(), type.clone(shape), getX());
  return one(e.sum(diagonal, {static_cast<int64_t>(shape.size()) - 1},
                   /*keepDims=*/false));
}

LogicalResult MatrixTransposeOp::inferTypes(Types &types) {
  RankedTensorType type = tensorType(getX());
  if (failed(verifyMatrices(*this, type)))
    return failure();
  Shape shape(type.getShape());
  std::swap(shape.end()[-1], shape.end()[-2]);
  types.push_back(type.clone(shape));
  return success();
}

Results MatrixTransposeOp::decompose(OpBuilder &b) {
  Shape perm(
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(getX()).getRank())));
  std::swap(perm.end()[-1], perm.end()[-2]);
  return one(ArrangeExpr{b, getLoc()}.transpose(getX(), perm));
}
