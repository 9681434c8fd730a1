// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations, clipping and sums of several tensors: short for arithmetic.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRACTIVATIONOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRACTIVATIONOPS

include "dialects/tfir/TfirBase.td"

class Tfir_ActivationOp<string mnemonic, string formula, dag attributes = (ins)> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = formula;
  let description = "Example: `%y = tfir." # mnemonic #
                    " %x : (tensor<4xf32>) -> tensor<4xf32>`";
  let arguments = !con((ins Tfir_FloatTensor:$x), attributes);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_LeakyReluOp : Tfir_ActivationOp<"leaky_relu",
    "x where it is positive, alpha * x elsewhere",
    (ins DefaultValuedAttr<F64Attr, "0.2">:$alpha)>;
def Tfir_EluOp : Tfir_ActivationOp<"elu",
    "x where it is positive, alpha * (exp(x) - 1) elsewhere",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$alpha)>;
def Tfir_SeluOp : Tfir_ActivationOp<"selu",
    "1.0507 * elu(x) with alpha = 1.6733: Klambauer et al. 2017">;
def Tfir_CeluOp : Tfir_ActivationOp<"celu",
    "x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$alpha)>;
def Tfir_SoftsignOp : Tfir_ActivationOp<"softsign", "x / (1 + |x|)">;
def Tfir_SwishOp : Tfir_ActivationOp<"swish",
    "x * sigmoid(x): Ramachandran et al. 2017, SiLU">;
def Tfir_HardSigmoidOp : Tfir_ActivationOp<"hard_sigmoid",
    "min(max(x / 5 + 1 / 2, 0), 1)">;
def Tfir_HardSwishOp : Tfir_ActivationOp<"hard_swish",
    "x * relu6(x + 3) / 6: Howard et al. 2019">;
def Tfir_MishOp : Tfir_ActivationOp<"mish",
    "x * tanh(softplus(x)): Misra 2019">;
def Tfir_LogSigmoidOp : Tfir_ActivationOp<"log_sigmoid",
    "log(sigmoid(x)) = -softplus(-x)">;
def Tfir_GeluOp : Tfir_ActivationOp<"gelu",
    "x * Phi(x), by erf, or approximate by tanh: Hendrycks and Gimpel 2016",
    (ins UnitAttr:$approximate)>;

def Tfir_PreluOp : Tfir_ComputeOp<"prelu",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "x where it is positive, alpha * x elsewhere: He et al. 2015";
  let description = [{
    - (C1) `alpha` broadcasts to the shape of `x`

    Example: `%y = tfir.prelu %x, %a : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x, Tfir_FloatTensor:$alpha);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_ClipByValueOp : Tfir_ComputeOp<"clip_by_value",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the nearest number between two bounds";
  let description = [{
    Where the bounds cross, the lower one. The gradient passes where `x` is between
    them or equal to one.

    - (C1) the element types are equal
    - (C2) the bounds broadcast to the shape of `x`

    Example:

    ```mlir
    %y = tfir.clip_by_value %x, %low, %high
        : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, Tfir_NumberTensor:$clip_value_min,
                       Tfir_NumberTensor:$clip_value_max);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_AddNOp : Tfir_ComputeOp<"add_n",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the sum of several tensors of one type";
  let description = [{
    They are added in their order.

    - (C1) there is one operand at least, and all have the same type

    Example:

    ```mlir
    %y = tfir.add_n %a, %b, %c
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberTensor>:$inputs);
  let results = (outs Tfir_NumberTensor:$sum);
}

#endif
