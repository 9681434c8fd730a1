// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells of recurrent networks, one step each: short for products and arithmetic.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_RECURRENT_TFIRRECURRENTOPS
#define GRAPHC_DIALECTS_TFIR_OPS_RECURRENT_TFIRRECURRENTOPS

include "dialects/tfir/TfirBase.td"

class Tfir_CellOp<string mnemonic, list<Trait> traits = []> :
    Tfir_ComputeOp<mnemonic, [SameOperandsElementType,
                              DeclareOpInterfaceMethods<Decomposable>] # traits>;

def Tfir_LstmCellOp : Tfir_CellOp<"lstm_cell", [AttrSizedOperandSegments]> {
  let summary = "one step of an LSTM: Hochreiter and Schmidhuber 1997";
  let description = [{
    TensorFlow 1.x's `tf.nn.rnn_cell.BasicLSTMCell`, and its `LSTMCell` with the operands and
    attributes that may be left out; with its order of the gates and its kernel, whose rows
    are those of the inputs, then those of `h`:

    ```
    i, j, f, o = split(concat([x, h], axis=1) @ w + b, 4, axis=1)
    new_c = sigmoid(f + forget_bias) * c + sigmoid(i) * tanh(j)
    new_h = sigmoid(o) * tanh(new_c)
    ```

    With `w_f_diag`, `w_i_diag` and `w_o_diag` (`use_peepholes=True`) the gates see the state,
    the output gate the new one:

    ```
    new_c = sigmoid(f + forget_bias + w_f_diag * c) * c
            + sigmoid(i + w_i_diag * c) * tanh(j)
    new_h = sigmoid(o + w_o_diag * new_c) * tanh(new_c)
    ```

    `cell_clip` bounds `new_c` to [-cell_clip, cell_clip] before the output is made of it. With
    `w_proj` (`num_proj`) the output is projected, `new_h = new_h @ w_proj`, and `proj_clip`
    bounds the product. Then `h` has the columns of the projection.

    The results are the new states, c before h as in LSTMStateTuple; `new_h` is the output,
    too. A layer is `tfir.scan` over the steps, which carries both. Operands may follow the
    first five as the three of the peepholes, `w_proj`, or the three and `w_proj`.

    - (C1) `x`, `c` and `h` are matrices with one number of rows
    - (C2) `c` has a column per unit, and so has `h` where there is no `w_proj`
    - (C3) `w` is [inputs + columns of `h`, 4 * units], where inputs are the columns of `x`
    - (C4) `b` is [4 * units]
    - (C5) `w_f_diag`, `w_i_diag` and `w_o_diag` are all there or none, and are [units]
    - (C6) `w_proj` is [units, columns of `h`]
    - (C7) `cell_clip` > 0
    - (C8) `proj_clip` > 0, beside `w_proj`

    Example:

    ```mlir
    %c1, %h1 = tfir.lstm_cell %x, %c, %h, %w, %b
        : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>,
           tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    %c2, %h2 = tfir.lstm_cell %x, %c, %h, %w, %b, %wf, %wi, %wo {cell_clip = 3.0 : f64}
        : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>,
           tensor<16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> (tensor<8x4xf32>, tensor<8x4xf32>)
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, Tfir_FloatTensor:$c, Tfir_FloatTensor:$h,
                       Tfir_FloatTensor:$w, Tfir_FloatTensor:$b,
                       DefaultValuedAttr<F64Attr, "1.0">:$forget_bias,
                       Optional<Tfir_FloatTensor>:$w_f_diag,
                       Optional<Tfir_FloatTensor>:$w_i_diag,
                       Optional<Tfir_FloatTensor>:$w_o_diag,
                       Optional<Tfir_FloatTensor>:$w_proj,
                       OptionalAttr<F64Attr>:$cell_clip,
                       OptionalAttr<F64Attr>:$proj_clip);
  let results = (outs Tfir_FloatTensor:$new_c, Tfir_FloatTensor:$new_h);
  // The number of operands tells which of them are there.
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &state) {
      return parseLstmCell(parser, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::graphc::tfir::printCallForm(*this, printer);
    }
  }];
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
  let arguments = (ins Tfir_FloatTensor:$x, Tfir_FloatTensor:$h,
                       Tfir_FloatTensor:$gate_w, Tfir_FloatTensor:$gate_b,
                       Tfir_FloatTensor:$cand_w, Tfir_FloatTensor:$cand_b);
  let results = (outs Tfir_FloatTensor:$new_h);
}

#endif
