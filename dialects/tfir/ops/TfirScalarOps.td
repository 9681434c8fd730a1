// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one and two numbers beyond arithmetic: inverse and hyperbolic
// functions, rounding, remainders, bits, tests for NaN.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRSCALAROPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRSCALAROPS

include "dialects/tfir/ops/TfirMathBase.td"

//===-- One operand -------------------------------------------------------===//

def Tfir_Expm1Op : Tfir_FloatUnaryOp<"expm1", "exp(x) - 1, also near 0",
    [Tfir_MakesNonFinite]>;
def Tfir_ErfcOp : Tfir_FloatUnaryOp<"erfc", "1 - erf(x), also for large x">;
def Tfir_TanOp : Tfir_FloatUnaryOp<"tan", "the tangent of x in radians">;
def Tfir_AsinOp : Tfir_FloatUnaryOp<"asin",
    "the angle in [-pi/2, pi/2] whose sine is x", [Tfir_MakesNonFinite]>;
def Tfir_AcosOp : Tfir_FloatUnaryOp<"acos",
    "the angle in [0, pi] whose cosine is x", [Tfir_MakesNonFinite]>;
def Tfir_AtanOp : Tfir_FloatUnaryOp<"atan",
    "the angle in [-pi/2, pi/2] whose tangent is x">;
def Tfir_SinhOp : Tfir_FloatUnaryOp<"sinh", "the hyperbolic sine",
    [Tfir_MakesNonFinite]>;
def Tfir_CoshOp : Tfir_FloatUnaryOp<"cosh", "the hyperbolic cosine",
    [Tfir_MakesNonFinite]>;
def Tfir_AsinhOp : Tfir_FloatUnaryOp<"asinh", "the inverse of sinh">;
def Tfir_AcoshOp : Tfir_FloatUnaryOp<"acosh", "the inverse of cosh, for x >= 1",
    [Tfir_MakesNonFinite]>;
def Tfir_AtanhOp : Tfir_FloatUnaryOp<"atanh", "the inverse of tanh",
    [Tfir_MakesNonFinite]>;
def Tfir_RoundOp : Tfir_FloatUnaryOp<"round",
    "the nearest integer; from halfway, the even one">;
def Tfir_RintOp : Tfir_FloatUnaryOp<"rint", "round, by its name in C">;
def Tfir_TruncOp : Tfir_FloatUnaryOp<"trunc", "the integer towards zero">;

class Tfir_FloatTestOp<string mnemonic, string formula> :
    Tfir_ElementwiseOp<mnemonic> {
  let summary = formula;
  let description = "Example: `%y = tfir." # mnemonic #
                    " %x : (tensor<4xf32>) -> tensor<4xi1>`";
  let arguments = (ins Tfir_FloatTensor:$x);
  let results = (outs Tfir_BoolTensor:$y);
}
def Tfir_IsNanOp : Tfir_FloatTestOp<"is_nan", "true where x is NaN">;
def Tfir_IsInfOp : Tfir_FloatTestOp<"is_inf", "true where x is infinite">;
def Tfir_IsFiniteOp : Tfir_FloatTestOp<"is_finite",
    "true where x is neither NaN nor infinite">;

def Tfir_InvertOp : Tfir_UnaryOp<"invert", "every bit of x flipped",
    Tfir_IntegerTensor>;

//===-- Two operands ------------------------------------------------------===//

def Tfir_FloorDivOp : Tfir_BinaryOp<"floordiv",
    "the integer below x / y; integers divided by 0 give 0", Tfir_NumberTensor,
    Tfir_NumberTensor, [Tfir_MakesNonFinite]>;
def Tfir_FloorModOp : Tfir_BinaryOp<"floormod",
    "x - floor(x / y) * y, with the sign of y; integers by 0 give 0",
    Tfir_NumberTensor, Tfir_NumberTensor,
    [Tfir_MakesNonFinite, DeclareOpInterfaceMethods<Differentiable>]>;
def Tfir_ModOp : Tfir_BinaryOp<"mod",
    "floormod, by its name in TensorFlow 1.x", Tfir_NumberTensor,
    Tfir_NumberTensor, [Tfir_MakesNonFinite,
                        DeclareOpInterfaceMethods<Differentiable>]>;
def Tfir_Atan2Op : Tfir_BinaryOp<"atan2",
    "the angle in [-pi, pi] of the point with height x and width y",
    Tfir_FloatTensor, Tfir_FloatTensor,
    [DeclareOpInterfaceMethods<Differentiable>]>;

def Tfir_LogicalXorOp : Tfir_BinaryOp<"logical_xor", "x or y, but not both",
    Tfir_BoolTensor, Tfir_BoolTensor>;

class Tfir_BitwiseOp<string mnemonic, string formula> :
    Tfir_ElementwiseOp<mnemonic> {
  let summary = formula;
  let description = [{
    - (C1) the element types are equal
    - (C2) the shapes broadcast: aligned at the last dimension, equal or 1

    Example:

    ```mlir
    %z = tfir.}] # mnemonic # [{ %x, %y : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
    ```
  }];
  let arguments = (ins Tfir_IntegerTensor:$x, Tfir_IntegerTensor:$y);
  let results = (outs Tfir_IntegerTensor:$z);
}
def Tfir_BitwiseAndOp : Tfir_BitwiseOp<"bitwise_and", "bits of x and of y">;
def Tfir_BitwiseOrOp : Tfir_BitwiseOp<"bitwise_or", "bits of x or of y">;
def Tfir_BitwiseXorOp : Tfir_BitwiseOp<"bitwise_xor",
    "bits of one of x and y, but not of both">;
def Tfir_LeftShiftOp : Tfir_BitwiseOp<"left_shift",
    "bits of x moved up by y, at least 0 and at most all but one">;
def Tfir_RightShiftOp : Tfir_BitwiseOp<"right_shift",
    "bits of x moved down by y, at least 0 and at most all but one; the sign stays">;

#endif
