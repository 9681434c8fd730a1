// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of elementwise ops and reductions, which several groups of ops share.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRMATHBASE
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRMATHBASE

include "dialects/tfir/TfirBase.td"

//===-- One operand -------------------------------------------------------===//

class Tfir_UnaryOp<string mnemonic, string formula, Constraint type,
                   list<Trait> traits = []> :
    Tfir_ElementwiseOp<mnemonic, traits> {
  let summary = formula;
  let description = "Example: `%y = tfir." # mnemonic #
                    " %x : (tensor<4xf32>) -> tensor<4xf32>`";
  let arguments = (ins type:$x);
  let results = (outs type:$y);
}

class Tfir_FloatUnaryOp<string mnemonic, string formula,
                        list<Trait> traits = []> :
    Tfir_UnaryOp<mnemonic, formula, Tfir_FloatTensor,
                 [DeclareOpInterfaceMethods<Differentiable>] # traits>;

//===-- Two operands, broadcast as numpy does -----------------------------===//

class Tfir_BinaryOp<string mnemonic, string formula, Constraint type,
                    Constraint result, list<Trait> traits = []> :
    Tfir_ElementwiseOp<mnemonic, traits> {
  let summary = formula;
  let description = [{
    - (C1) the element types are equal
    - (C2) the shapes broadcast: aligned at the last dimension, equal or 1

    Example:

    ```mlir
    %z = tfir.}] # mnemonic # [{ %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4x}]
    # !if(!eq(!cast<string>(result), "Tfir_BoolTensor"), "i1", "f32") # [{>
    ```
  }];
  let arguments = (ins type:$x, type:$y);
  let results = (outs result:$z);
}

class Tfir_ArithmeticOp<string mnemonic, string formula,
                        list<Trait> traits = []> :
    Tfir_BinaryOp<mnemonic, formula, Tfir_NumberTensor, Tfir_NumberTensor,
                  [DeclareOpInterfaceMethods<Differentiable>] # traits>;

class Tfir_CompareOp<string mnemonic, string formula> :
    Tfir_BinaryOp<mnemonic, formula, Tfir_NumberTensor, Tfir_BoolTensor>;

//===-- Reductions --------------------------------------------------------===//

class Tfir_ReduceOp<string mnemonic, string formula, Constraint type> :
    Tfir_ComputeOp<mnemonic, [
        DeclareOpInterfaceMethods<Lowerable, ["keepsRows"]>,
        DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = formula;
  let description = [{
    Over the dimensions `axes`, all without it. Negative axes count from the last
    dimension. `keep_dims` keeps the reduced dimensions with size 1.

    - (C1) each axis is in [-rank, rank) and named once

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x {axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins type:$x, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       UnitAttr:$keep_dims);
  let results = (outs type:$y);
}

#endif
