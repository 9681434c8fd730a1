// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eliminations of batches of small matrices, as linalg on tensors. Each step is
// a pass over the matrices, of which there are as many as rows.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_LINEAR_ALGEBRA_ELIMINATION_H
#define GRAPHC_DIALECTS_TFIR_OPS_LINEAR_ALGEBRA_ELIMINATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace graphc::tfir {

/// Rows that a matrix has at most: there is code for each.
inline constexpr int64_t kMaxMatrixRows = 64;

/// The lower triangular L with L L^T = `matrices`.
mlir::Value buildCholesky(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value matrices);

/// Solves triangular systems; `transposed` ones of the matrices read as
/// columns.
mlir::Value buildTriangularSolve(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::Value matrices, mlir::Value rhs,
                                 bool lower, bool transposed);

/// Solves systems by Gauss and Jordan's elimination with partial pivoting.
mlir::Value buildSolve(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value matrices, mlir::Value rhs);

/// Determinants by Gauss's elimination with partial pivoting.
mlir::Value buildDeterminant(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value matrices);

} // namespace graphc::tfir

#endif
