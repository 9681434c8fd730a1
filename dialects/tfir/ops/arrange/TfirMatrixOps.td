// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges, grids, diagonals and bands of matrices, and shapes as tensors.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRMATRIXOPS
#define GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRMATRIXOPS

include "dialects/tfir/TfirBase.td"

class Tfir_MatrixOp<string mnemonic, list<Trait> traits = []> :
    Tfir_ComputeOp<mnemonic,
        [DeclareOpInterfaceMethods<Decomposable>] # traits>;

//===-- Ranges ------------------------------------------------------------===//

def Tfir_IotaOp : Tfir_Op<"iota", [Pure, Placeable,
    DeclareOpInterfaceMethods<TypeInferable>,
    DeclareOpInterfaceMethods<Lowerable, ["keepsRows"]>]>,
    Tfir_ResultsBy<"shape"> {
  let summary = "the numbers from 0 on, in row-major order";
  let description = [{
    What `tfir.range` and the masks of `tfir.eye` and `tfir.matrix_band_part` are
    made of.

    - (C1) at most 2^31 - 1 elements

    Example: `%y = tfir.iota : tensor<4xi32>`
  }];
  let arguments = (ins);
  let results = (outs Tfir_NumberTensor:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

def Tfir_RangeOp : Tfir_MatrixOp<"range"> {
  let summary = "numbers at equal distances";
  let description = [{
    `range(limit)`, `range(start, limit)` or `range(start, limit, delta)`: from
    `start`, 0 without it, up to `limit`, which is not among them, `delta` apart, 1
    without it.

    - (C1) one to three operands: scalars of one type, constants
    - (C2) `delta` is not 0, and leads from `start` towards `limit`
    - (C3) at most 2^31 - 1 elements

    Example:

    ```mlir
    %n = tfir.const dense<4> : tensor<i32>
    %y = tfir.range %n : (tensor<i32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberTensor>:$limits);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_LinspaceOp : Tfir_MatrixOp<"linspace"> {
  let summary = "numbers at equal distances from one to another";
  let description = [{
    `num` of them; where it is 1, `start`.

    - (C1) `start` and `stop` are scalars of one type
    - (C2) num >= 1

    Example:

    ```mlir
    %y = tfir.linspace %a, %b {num = 5 : i64}
        : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$start, Tfir_FloatTensor:$stop,
                       I64Attr:$num);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_MeshgridOp : Tfir_MatrixOp<"meshgrid"> {
  let summary = "the coordinates of the points of a grid";
  let description = [{
    A result for each operand, whose elements are the coordinates along one dimension
    of the grid. With `indexing` "ij" operand i is for dimension i; with "xy" the
    first two are exchanged, as pictures have them.

    - (C1) each operand is a vector or a scalar; there are as many results
    - (C2) indexing is "xy" or "ij"

    Example:

    ```mlir
    %x, %y = tfir.meshgrid %a, %b
        : (tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberOrBoolTensor>:$xs,
                       DefaultValuedAttr<StrAttr, "\"xy\"">:$indexing);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$ys);
}

def Tfir_InvertPermutationOp : Tfir_MatrixOp<"invert_permutation"> {
  let summary = "where in a permutation each number stands";
  let description = [{
    - (C1) a vector
    - (C2) a constant one has each number from 0 on once

    One that is no constant is searched for each number, which takes as many steps
    as the square of its size; what no permutation is gives sums of places.

    Example: `%y = tfir.invert_permutation %x : (tensor<4xi32>) -> tensor<4xi32>`
  }];
  let arguments = (ins Tfir_IntTensor:$x);
  let results = (outs Tfir_IntTensor:$y);
}

//===-- Shapes as tensors -------------------------------------------------===//

class Tfir_ShapeOfOp<string mnemonic, string what, string type> :
    Tfir_MatrixOp<mnemonic> {
  let summary = what;
  let description = "The type of the result is i32 unless another is written. "
      "Shapes are static when a graph is compiled: a constant.\n\n"
      "- (C1) the numbers fit into the type of the result\n\n"
      "Example: `%y = tfir." # mnemonic # " %x : (tensor<2x4xf32>) -> " # type # "`";
  let arguments = (ins Tfir_Tensor:$x);
  let results = (outs Tfir_IntTensor:$y);
}

def Tfir_ShapeOp : Tfir_ShapeOfOp<"shape", "the sizes of the dimensions",
                                  "tensor<2xi32>">;
def Tfir_SizeOp : Tfir_ShapeOfOp<"size", "the number of elements",
                                 "tensor<i32>">;
def Tfir_RankOp : Tfir_ShapeOfOp<"rank", "the number of dimensions",
                                 "tensor<i32>">;

//===-- Diagonals and bands -----------------------------------------------===//

def Tfir_EyeOp : Tfir_MatrixOp<"eye"> {
  let summary = "ones on the diagonal, zeros elsewhere";
  let description = [{
    As many columns as rows without `num_columns`; a matrix for each place of
    `batch_shape`. The elements are f32 unless the type of the result is written.

    - (C1) no size is negative

    Example: `%y = tfir.eye {num_rows = 3 : i64} : () -> tensor<3x3xf32>`
  }];
  let arguments = (ins I64Attr:$num_rows, OptionalAttr<I64Attr>:$num_columns,
                       OptionalAttr<DenseI64ArrayAttr>:$batch_shape);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_DiagOp : Tfir_MatrixOp<"diag"> {
  let summary = "the elements on the diagonal of a tensor of twice the rank";
  let description = [{
    Element `[i..., i...]` is element `[i...]` of the operand, all others are 0: a
    vector becomes a matrix.

    Example: `%y = tfir.diag %x : (tensor<3xf32>) -> tensor<3x3xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_DiagPartOp : Tfir_MatrixOp<"diag_part"> {
  let summary = "the diagonal of a tensor, of half the rank";
  let description = [{
    - (C1) the rank is even, and the second half of the sizes is as the first

    Example: `%y = tfir.diag_part %x : (tensor<3x3xf32>) -> tensor<3xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_MatrixDiagOp : Tfir_MatrixOp<"matrix_diag"> {
  let summary = "each row on the diagonal of a matrix";
  let description = [{
    - (C1) the operand has a dimension

    Example: `%y = tfir.matrix_diag %x : (tensor<2x3xf32>) -> tensor<2x3x3xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_MatrixDiagPartOp : Tfir_MatrixOp<"matrix_diag_part"> {
  let summary = "the diagonal of each matrix";
  let description = [{
    - (C1) the operand has two dimensions at least

    Example: `%y = tfir.matrix_diag_part %x : (tensor<2x3x4xf32>) -> tensor<2x3xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_MatrixBandPartOp : Tfir_MatrixOp<"matrix_band_part"> {
  let summary = "each matrix with zeros outside of a band";
  let description = [{
    `num_lower` diagonals below the main one and `num_upper` above it stay; a negative
    number keeps all of them.

    - (C1) the operand has two dimensions at least

    Example:

    ```mlir
    %y = tfir.matrix_band_part %x {num_lower = 1 : i64, num_upper = 0 : i64}
        : (tensor<4x4xf32>) -> tensor<4x4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, I64Attr:$num_lower,
                       I64Attr:$num_upper);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

class Tfir_TriangleOp<string mnemonic, string where> :
    Tfir_MatrixOp<mnemonic> {
  let summary = "each matrix with zeros " # where # " a diagonal";
  let description = "`diagonal` counts from the main one upwards.\n\n"
      "- (C1) the operand has two dimensions at least\n\n"
      "Example: `%y = tfir." # mnemonic #
      " %x {diagonal = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>`";
  let arguments = (ins Tfir_NumberOrBoolTensor:$x,
                       DefaultValuedAttr<I64Attr, "0">:$diagonal);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_TriuOp : Tfir_TriangleOp<"triu", "below">;
def Tfir_TrilOp : Tfir_TriangleOp<"tril", "above">;

#endif
