// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra of batches of small matrices.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_LINEAR_ALGEBRA_TFIRLINEAROPS
#define GRAPHC_DIALECTS_TFIR_OPS_LINEAR_ALGEBRA_TFIRLINEAROPS

include "dialects/tfir/TfirBase.td"

// Each matrix is worked on from its first row to its last, so that the time grows with
// the cube of its size; matrices of a batch are independent.
class Tfir_FactorOp<string mnemonic> : Tfir_ComputeOp<mnemonic,
    [DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]>;

class Tfir_MatrixShortOp<string mnemonic> : Tfir_ComputeOp<mnemonic,
    [DeclareOpInterfaceMethods<Decomposable>]>;

def Tfir_CholeskyOp : Tfir_FactorOp<"cholesky"> {
  let summary = "the lower triangular root of symmetric matrices";
  let description = [{
    Of the last two dimensions, of which only the lower triangle is read. A matrix that is
    not positive definite gives NaN, from the first column on where that shows. The
    gradient is symmetric.

    - (C1) the last two dimensions are square, with at most 64 rows

    Example: `%l = tfir.cholesky %x : (tensor<5x3x3xf32>) -> tensor<5x3x3xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_TriangularSolveOp : Tfir_FactorOp<"triangular_solve"> {
  let summary = "solutions of triangular systems";
  let description = [{
    `tf.matrix_triangular_solve`: x of `matrix @ x = rhs`, or of the transposed matrix
    with `adjoint`. Only the lower triangle is read, or without `lower` the upper one. A
    zero on the diagonal gives infinities or NaN.

    - (C1) the last two dimensions of the matrix are square, with at most 64 rows
    - (C2) the right side has its other dimensions, as many rows, and its element type

    Example:

    ```mlir
    %x = tfir.triangular_solve %a, %b {lower = false, adjoint}
        : (tensor<5x3x3xf32>, tensor<5x3x2xf32>) -> tensor<5x3x2xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$matrix, Tfir_FloatTensor:$rhs,
                       DefaultValuedAttr<BoolAttr, "true">:$lower,
                       UnitAttr:$adjoint);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_MatrixSolveOp : Tfir_ComputeOp<"matrix_solve",
    [DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Decomposable, ["isShorthand"]>,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "solutions of systems of linear equations";
  let description = [{
    x of `matrix @ x = rhs`, or of the transposed matrix with `adjoint`, by Gauss and
    Jordan's elimination with the largest pivot of each column. A singular matrix gives
    infinities or NaN; nothing fails.

    - (C1) the last two dimensions of the matrix are square, with at most 64 rows
    - (C2) the right side has its other dimensions, as many rows, and its element type

    Example:

    ```mlir
    %x = tfir.matrix_solve %a, %b
        : (tensor<5x3x3xf32>, tensor<5x3x2xf32>) -> tensor<5x3x2xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$matrix, Tfir_FloatTensor:$rhs,
                       UnitAttr:$adjoint);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_MatrixInverseOp : Tfir_MatrixShortOp<"matrix_inverse"> {
  let summary = "the inverse of matrices";
  let description = [{
    Short for `tfir.matrix_solve` with ones on the diagonal.

    - (C1) the last two dimensions are square, with at most 64 rows

    Example: `%y = tfir.matrix_inverse %x : (tensor<5x3x3xf32>) -> tensor<5x3x3xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x, UnitAttr:$adjoint);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_MatrixDeterminantOp : Tfir_FactorOp<"matrix_determinant"> {
  let summary = "the determinant of matrices";
  let description = [{
    The product of the pivots of an elimination; 0 for a singular matrix whose pivot
    becomes 0. The gradient is that of `det * inverse`: of a singular matrix NaN.

    - (C1) the last two dimensions are square, with at most 64 rows

    Example: `%y = tfir.matrix_determinant %x : (tensor<5x3x3xf32>) -> tensor<5xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_TraceOp : Tfir_MatrixShortOp<"trace"> {
  let summary = "the sum of the diagonal of matrices";
  let description = [{
    - (C1) the operand has two dimensions at least

    Example: `%y = tfir.trace %x : (tensor<5x3x4xf32>) -> tensor<5xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_MatrixTransposeOp : Tfir_MatrixShortOp<"matrix_transpose"> {
  let summary = "matrices with rows and columns exchanged";
  let description = [{
    - (C1) the operand has two dimensions at least

    Example: `%y = tfir.matrix_transpose %x : (tensor<5x3x4xf32>) -> tensor<5x4x3xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x);
  let results = (outs Tfir_NumberTensor:$y);
}

#endif
