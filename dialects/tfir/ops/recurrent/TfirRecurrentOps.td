// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of recurrent networks, one step each: short for products and arithmetic.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_RECURRENT_TFIRRECURRENTOPS
#define GRAPHC_DIALECTS_TFIR_OPS_RECURRENT_TFIRRECURRENTOPS

include "dialects/tfir/TfirBase.td"

class Tfir_CellOp<string mnemonic> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]>;

def Tfir_LstmCellOp : Tfir_CellOp<"lstm_cell"> {
  let summary = "one step of an LSTM: Hochreiter and Schmidhuber 1997";
  let description = [{
    TensorFlow's BasicLSTMCell, with its order of the gates and its kernel, whose rows are
    those of the inputs, then those of the units:

    ```
    i, j, f, o = split(concat([x, h], axis=1) @ w + b, 4, axis=1)
    new_c = sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(j)
    new_h = sigmoid(o) * tanh(new_c)
    ```

    The results are the new states, c before h as in LSTMStateTuple; `new_h` is the output,
    too. A layer is `tfir.scan` over the steps, which carries both.

    - (C1) `x`, `c` and `h` are matrices with one number of rows
    - (C2) `c` and `h` have the same number of columns, the units
    - (C3) `w` is [inputs + units, 4 * units], where inputs are the columns of `x`
    - (C4) `b` is [4 * units]

    Example:

    ```mlir
    %c1, %h1 = tfir.lstm_cell %x, %c, %h, %w, %b
        : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>,
           tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$x, Tfir_F32Tensor:$c, Tfir_F32Tensor:$h,
                       Tfir_F32Tensor:$w, Tfir_F32Tensor:$b,
                       DefaultValuedAttr<F64Attr, "1.0">:$forget_bias);
  let results = (outs Tfir_F32Tensor:$new_c, Tfir_F32Tensor:$new_h);
}

def Tfir_GruCellOp : Tfir_CellOp<"gru_cell"> {
  let summary = "one step of a gated recurrent unit: Cho et al. 2014";
  let description = [{
    TensorFlow's GRUCell: the reset gate before the update gate, and the state reset before
    the product of the candidate. `gate_b` is 1 at first there.

    ```
    r, u = split(sigmoid(concat([x, h], axis=1) @ gate_w + gate_b), 2, axis=1)
    candidate = tanh(concat([x, r * h], axis=1) @ cand_w + cand_b)
    new_h = u * h + (1 - u) * candidate
    ```

    - (C1) `x` and `h` are matrices with one number of rows
    - (C2) `gate_w` is [inputs + units, 2 * units] and `cand_w` [inputs + units, units],
      where inputs are the columns of `x` and units those of `h`
    - (C3) `gate_b` is [2 * units] and `cand_b` [units]

    Example:

    ```mlir
    %h1 = tfir.gru_cell %x, %h, %gate_w, %gate_b, %cand_w, %cand_b
        : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<7x8xf32>, tensor<8xf32>,
           tensor<7x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$x, Tfir_F32Tensor:$h,
                       Tfir_F32Tensor:$gate_w, Tfir_F32Tensor:$gate_b,
                       Tfir_F32Tensor:$cand_w, Tfir_F32Tensor:$cand_b);
  let results = (outs Tfir_F32Tensor:$new_h);
}

#endif
