// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions beyond sum, mean, max and min, sums along an axis, norms.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRREDUCTIONOPS
#define GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRREDUCTIONOPS

include "dialects/tfir/ops/TfirMathBase.td"

//===-- Reductions --------------------------------------------------------===//

def Tfir_ProdOp : Tfir_ReduceOp<"prod",
    "the product of elements; its gradient is right where some are 0",
    Tfir_NumberTensor>;

// Short for other reductions.
class Tfir_ShortReduceOp<string mnemonic, string formula, Constraint type,
                         Constraint result, string from, string to,
                         dag attributes = (ins), string more = ""> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = formula;
  let description = [{
    Over the dimensions `axes`, all without it. Negative axes count from the last
    dimension. `keep_dims` keeps the reduced dimensions with size 1. }] # more # [{

    - (C1) each axis is in [-rank, rank) and named once

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x {axes = array<i64: 1>} : (tensor<2x4x}] # from #
    [{>) -> tensor<2x}] # to # [{>
    ```
  }];
  let arguments = !con((ins type:$x), attributes,
                       (ins OptionalAttr<DenseI64ArrayAttr>:$axes,
                            UnitAttr:$keep_dims));
  let results = (outs result:$y);
}

def Tfir_VarianceOp : Tfir_ShortReduceOp<"variance",
    "the mean of squared differences to the mean", Tfir_FloatTensor,
    Tfir_FloatTensor, "f32", "f32">;
def Tfir_StdOp : Tfir_ShortReduceOp<"std",
    "the standard deviation: the root of the variance", Tfir_FloatTensor,
    Tfir_FloatTensor, "f32", "f32", (ins),
    "The gradient is 0 where all elements are equal.">;
def Tfir_LogsumexpOp : Tfir_ShortReduceOp<"logsumexp",
    "log(sum(exp(x))), without overflow", Tfir_FloatTensor, Tfir_FloatTensor,
    "f32", "f32">;
def Tfir_AnyOp : Tfir_ShortReduceOp<"any", "true where an element is",
    Tfir_BoolTensor, Tfir_BoolTensor, "i1", "i1">;
def Tfir_AllOp : Tfir_ShortReduceOp<"all", "true where all elements are",
    Tfir_BoolTensor, Tfir_BoolTensor, "i1", "i1">;
def Tfir_CountNonzeroOp : Tfir_ShortReduceOp<"count_nonzero",
    "how many elements are not 0", Tfir_NumberOrBoolTensor,
    RankedTensorOf<[I64]>, "f32", "i64">;

def Tfir_NormOp : Tfir_ComputeOp<"norm",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the norm of elements as of one vector";
  let description = [{
    `ord` 1 is the sum of sizes, 2 the Euclidean norm, infinity the largest size, any
    other p the p-th root of the sum of their p-th powers. `axes` and `keep_dims` are
    those of `tfir.sum`. The gradient is 0 where all elements are.

    - (C1) each axis is in [-rank, rank) and named once
    - (C2) ord >= 1

    Example:

    ```mlir
    %y = tfir.norm %x {axes = array<i64: 1>, ord = 1.0 : f64}
        : (tensor<2x4xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, DefaultValuedAttr<F64Attr, "2.0">:$ord,
                       OptionalAttr<DenseI64ArrayAttr>:$axes,
                       UnitAttr:$keep_dims);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_ArgMinOp : Tfir_ComputeOp<"arg_min",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "where along an axis the smallest element stands";
  let description = [{
    The first one on ties.

    - (C1) the axis is in [-rank, rank)

    Example: `%y = tfir.arg_min %x {axis = 1} : (tensor<8x10xf32>) -> tensor<8xi64>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x, I64Attr:$axis);
  let results = (outs RankedTensorOf<[I64]>:$y);
}

//===-- Along an axis -----------------------------------------------------===//

class Tfir_ScanOp<string mnemonic, string formula> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = formula;
  let description = [{
    Element i along the axis is made of those up to i; of those before it with
    `exclusive`; from the end on with `reverse`. Elements are combined in log2(n)
    rounds, each of which combines every element with one that is twice as far away,
    so the time grows with n log2(n), and errors with log2(n).

    - (C1) the axis is in [-rank, rank)

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x {axis = 1, exclusive}
        : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, DefaultValuedAttr<I64Attr, "0">:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Tfir_NumberTensor:$y);
}
def Tfir_CumsumOp : Tfir_ScanOp<"cumsum", "sums of the first elements">;
def Tfir_CumprodOp : Tfir_ScanOp<"cumprod",
    "products of the first elements; the gradient is right where some are 0">;

class Tfir_SoftmaxAlongOp<string mnemonic, string formula> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = formula;
  let description = [{
    - (C1) the axis is in [-rank, rank)

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x {axis = 0} : (tensor<8x10xf32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$logits,
                       DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Tfir_FloatTensor:$output);
}
def Tfir_SoftmaxAxisOp : Tfir_SoftmaxAlongOp<"softmax_along",
    "exp(x) / sum(exp(x)) along an axis">;
def Tfir_LogSoftmaxAxisOp : Tfir_SoftmaxAlongOp<"log_softmax_along",
    "x - log(sum(exp(x))) along an axis">;

//===-- Bounded norms -----------------------------------------------------===//

def Tfir_ClipByNormOp : Tfir_ComputeOp<"clip_by_norm",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "x, scaled down to a norm of at most `clip_norm`";
  let description = [{
    The Euclidean norm over `axes`, over all dimensions without it.

    - (C1) each axis is in [-rank, rank) and named once
    - (C2) `clip_norm` is a number of the element type of `x`

    Example:

    ```mlir
    %y = tfir.clip_by_norm %x, %most {axes = array<i64: 1>}
        : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, Tfir_FloatTensor:$clip_norm,
                       OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_GlobalNormOp : Tfir_ComputeOp<"global_norm",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the Euclidean norm of several tensors as of one vector";
  let description = [{
    - (C1) there is one operand at least, and all have the same element type

    Example: `%n = tfir.global_norm %a, %b : (tensor<4xf32>, tensor<2x3xf32>) -> tensor<f32>`
  }];
  let arguments = (ins Variadic<Tfir_FloatTensor>:$t_list);
  let results = (outs Tfir_FloatTensor:$norm);
}

def Tfir_ClipByGlobalNormOp : Tfir_ComputeOp<"clip_by_global_norm",
    [DeclareOpInterfaceMethods<Decomposable>]>,
    Tfir_ResultsBy<"operands", "t_list"> {
  let summary = "tensors, scaled down to a common norm of at most `clip_norm`";
  let description = [{
    All by one factor, clip_norm / max(global_norm, clip_norm), which is NaN where the
    norm is infinite or NaN. `tfir.global_norm` of the same tensors gives that norm, and
    costs nothing beside it.

    - (C1) there is one tensor at least, and all have the same element type
    - (C2) `clip_norm` is a number of that type

    Example:

    ```mlir
    %c, %d = tfir.clip_by_global_norm %a, %b, %most
        : (tensor<4xf32>, tensor<2x3xf32>, tensor<f32>)
        -> (tensor<4xf32>, tensor<2x3xf32>)
    ```
  }];
  let arguments = (ins Variadic<Tfir_FloatTensor>:$t_list,
                       Tfir_FloatTensor:$clip_norm);
  let results = (outs Variadic<Tfir_FloatTensor>:$list_clipped);
}

def Tfir_L2NormalizeOp : Tfir_ComputeOp<"l2_normalize",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "x / sqrt(max(sum(x * x), epsilon))";
  let description = [{
    The sum is over `axes`, over all dimensions without it.

    - (C1) each axis is in [-rank, rank) and named once
    - (C2) epsilon > 0

    Example:

    ```mlir
    %y = tfir.l2_normalize %x {axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x,
                       OptionalAttr<DenseI64ArrayAttr>:$axes,
                       DefaultValuedAttr<F64Attr, "1e-12">:$epsilon);
  let results = (outs Tfir_FloatTensor:$y);
}

#endif
