// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise arithmetic, comparisons, casts, reductions and matmul.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRMATHOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRMATHOPS

include "dialects/tfir/ops/TfirMathBase.td"
include "dialects/tfir/TfirContraction.td"

//===-- One operand -------------------------------------------------------===//

def Tfir_NegOp : Tfir_UnaryOp<"neg", "-x", Tfir_NumberTensor,
    [DeclareOpInterfaceMethods<Differentiable>]> {
  let hasFolder = 1;
}
def Tfir_AbsOp : Tfir_UnaryOp<"abs", "|x|", Tfir_NumberTensor,
    [DeclareOpInterfaceMethods<Differentiable>]>;
def Tfir_SquareOp : Tfir_UnaryOp<"square", "x * x", Tfir_NumberTensor,
    [DeclareOpInterfaceMethods<Differentiable>]>;
def Tfir_SignOp : Tfir_FloatUnaryOp<"sign", "-1, 0 or 1">;
def Tfir_FloorOp : Tfir_FloatUnaryOp<"floor", "the integer below">;
def Tfir_CeilOp : Tfir_FloatUnaryOp<"ceil", "the integer above">;
def Tfir_SqrtOp : Tfir_FloatUnaryOp<"sqrt", "the square root",
    [Tfir_MakesNonFinite]>;
def Tfir_RsqrtOp : Tfir_FloatUnaryOp<"rsqrt", "1 / sqrt(x)",
    [Tfir_MakesNonFinite]>;
def Tfir_ReciprocalOp : Tfir_FloatUnaryOp<"reciprocal", "1 / x",
    [Tfir_MakesNonFinite]>;
def Tfir_ExpOp : Tfir_FloatUnaryOp<"exp", "e to the x",
    [Tfir_MakesNonFinite]>;
def Tfir_LogOp : Tfir_FloatUnaryOp<"log", "the natural logarithm",
    [Tfir_MakesNonFinite]>;
def Tfir_Log1pOp : Tfir_FloatUnaryOp<"log1p", "log(1 + x)",
    [Tfir_MakesNonFinite]>;
def Tfir_TanhOp : Tfir_FloatUnaryOp<"tanh", "the hyperbolic tangent">;
def Tfir_SigmoidOp : Tfir_FloatUnaryOp<"sigmoid", "1 / (1 + exp(-x))">;
def Tfir_SoftplusOp : Tfir_FloatUnaryOp<"softplus", "log(1 + exp(x))">;
def Tfir_ErfOp : Tfir_FloatUnaryOp<"erf", "the error function">;
def Tfir_SinOp : Tfir_FloatUnaryOp<"sin", "the sine of x in radians">;
def Tfir_CosOp : Tfir_FloatUnaryOp<"cos", "the cosine of x in radians">;
def Tfir_ReluOp : Tfir_FloatUnaryOp<"relu", "max(x, 0); its slope at 0 is 0">;
def Tfir_Relu6Op : Tfir_FloatUnaryOp<"relu6", "min(max(x, 0), 6)">;

def Tfir_LogicalNotOp :
    Tfir_UnaryOp<"logical_not", "true where x is false", Tfir_BoolTensor>;

def Tfir_IdentityOp : Tfir_UnaryOp<"identity", "x", Tfir_NumberTensor,
    [Tfir_MovesElements, DeclareOpInterfaceMethods<Differentiable>]> {
  let hasFolder = 1;
}
def Tfir_StopGradientOp : Tfir_UnaryOp<"stop_gradient",
    "x, as a constant for differentiation", Tfir_NumberTensor, [Tfir_MovesElements]>;

def Tfir_CastOp : Tfir_Op<"cast", [Pure,
    DeclareOpInterfaceMethods<Tfir_Elementwise>,
    DeclareOpInterfaceMethods<Differentiable>]>, Tfir_ResultsBy<"dtype"> {
  let summary = "the same numbers in another element type";
  let description = [{
    Floats become integers by dropping the fraction; true becomes 1. What becomes f16
    or bf16 is rounded to f32 first, then to the nearest.

    - (C1) operand and result have the same shape

    Example: `%y = tfir.cast %x : (tensor<4xui8>) -> tensor<4xf32>`
  }];
  let arguments = (ins Tfir_Tensor:$x);
  let results = (outs Tfir_Tensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tfir_BitcastOp : Tfir_Op<"bitcast", [Pure, Tfir_MovesElements,
    DeclareOpInterfaceMethods<TypeInferable>,
    DeclareOpInterfaceMethods<Tfir_Elementwise>]>, Tfir_ResultsBy<"dtype"> {
  let summary = "the same bits as another element type";
  let description = [{
    No derivative comes through.

    - (C1) the elements of operand and result have as many bits

    Example: `%y = tfir.bitcast %x : (tensor<4xf32>) -> tensor<4xui32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x);
  let results = (outs Tfir_NumberTensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

//===-- Two operands, broadcast as numpy does -----------------------------===//

def Tfir_AddOp : Tfir_ArithmeticOp<"add", "x + y"> {
  let hasFolder = 1;
}
def Tfir_SubOp : Tfir_ArithmeticOp<"sub", "x - y"> {
  let hasFolder = 1;
}
def Tfir_MulOp : Tfir_ArithmeticOp<"mul", "x * y"> {
  let hasFolder = 1;
}
def Tfir_DivOp : Tfir_ArithmeticOp<"div",
    "x / y; integers are divided towards zero, and by 0 they give 0",
    [Tfir_MakesNonFinite]> {
  let hasFolder = 1;
}
def Tfir_MaximumOp : Tfir_ArithmeticOp<"maximum",
    "the larger; on ties the gradient goes to x">;
def Tfir_MinimumOp : Tfir_ArithmeticOp<"minimum",
    "the smaller; on ties the gradient goes to x">;
def Tfir_SquaredDifferenceOp :
    Tfir_ArithmeticOp<"squared_difference", "(x - y) * (x - y)">;
def Tfir_PowOp : Tfir_BinaryOp<"pow", "x to the y", Tfir_FloatTensor,
    Tfir_FloatTensor, [Tfir_MakesNonFinite,
                       DeclareOpInterfaceMethods<Differentiable>]>;

def Tfir_EqualOp : Tfir_CompareOp<"equal", "x == y">;
def Tfir_NotEqualOp : Tfir_CompareOp<"not_equal", "x != y">;
def Tfir_LessOp : Tfir_CompareOp<"less", "x < y">;
def Tfir_LessEqualOp : Tfir_CompareOp<"less_equal", "x <= y">;
def Tfir_GreaterOp : Tfir_CompareOp<"greater", "x > y">;
def Tfir_GreaterEqualOp : Tfir_CompareOp<"greater_equal", "x >= y">;

def Tfir_LogicalAndOp : Tfir_BinaryOp<"logical_and", "x and y",
    Tfir_BoolTensor, Tfir_BoolTensor>;
def Tfir_LogicalOrOp : Tfir_BinaryOp<"logical_or", "x or y",
    Tfir_BoolTensor, Tfir_BoolTensor>;

def Tfir_SelectOp : Tfir_ElementwiseOp<"select",
    [Tfir_MovesElements, DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "x where the condition holds, y elsewhere";
  let description = [{
    The three operands broadcast to one shape.

    - (C1) x and y have the same element type

    Example:

    ```mlir
    %z = tfir.select %c, %x, %y
        : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tfir_BoolTensor:$condition, Tfir_NumberTensor:$x,
                       Tfir_NumberTensor:$y);
  let results = (outs Tfir_NumberTensor:$z);
}

//===-- Reductions --------------------------------------------------------===//

def Tfir_SumOp : Tfir_ReduceOp<"sum", "the sum of elements", Tfir_NumberTensor>;
def Tfir_MeanOp : Tfir_ReduceOp<"mean", "the mean of elements", Tfir_FloatTensor>;
def Tfir_MaxOp : Tfir_ReduceOp<"max",
    "the largest element; the gradient is split among ties", Tfir_NumberTensor>;
def Tfir_MinOp : Tfir_ReduceOp<"min",
    "the smallest element; the gradient is split among ties", Tfir_NumberTensor>;

def Tfir_ArgMaxOp : Tfir_ComputeOp<"arg_max",
    [DeclareOpInterfaceMethods<Lowerable, ["keepsRows"]>]> {
  let summary = "where along an axis the largest element stands";
  let description = [{
    The first one on ties.

    - (C1) the axis is in [-rank, rank)

    Example: `%y = tfir.arg_max %x {axis = 1} : (tensor<8x10xf32>) -> tensor<8xi64>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x, I64Attr:$axis);
  let results = (outs RankedTensorOf<[I64]>:$y);
}

//===-- Linear algebra ----------------------------------------------------===//

def Tfir_MatMulOp : Tfir_ComputeOp<"matmul",
    [DeclareOpInterfaceMethods<Tfir_Contraction>,
     DeclareOpInterfaceMethods<Decomposable, ["isShorthand"]>,
     DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "the product of two matrices, or of batches of them";
  let description = [{
    The matrices lie along the last two dimensions; those before are a batch and
    broadcast as numpy does.

    - (C1) both operands have two dimensions at least
    - (C2) the columns of `a`, or its rows with `transpose_a`, are as many as the
      rows of `b`, or its columns with `transpose_b`
    - (C3) the batch dimensions broadcast
    - (C4) the element types are equal

    Products of f16 and bf16 are added as f32, and each sum is rounded once. Those of
    f64 and of integers are plain sums of products; integers wrap around.

    Example:

    ```mlir
    %c = tfir.matmul %a, %b {transpose_b}
        : (tensor<8x3xf32>, tensor<5x3xf32>) -> tensor<8x5xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$a, Tfir_NumberTensor:$b,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Tfir_NumberTensor:$c);
}

#endif
