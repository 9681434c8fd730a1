// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products that are short for batches of matrix products.
#ifndef GRAPHC_DIALECTS_TFIR_PRODUCTS_TFIRPRODUCTOPS
#define GRAPHC_DIALECTS_TFIR_PRODUCTS_TFIRPRODUCTOPS

include "dialects/tfir/TfirBase.td"

def Tfir_EinsumOp : Tfir_ComputeOp<"einsum",
    [SameOperandsElementType, DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "sums of products over the indices that an equation names";
  let description = [{
    The equation names the dimensions of each operand by letters, and those of the
    result after `->`; what the result does not name is summed over. It becomes sums,
    transposes, reshapes and one `tfir.matmul`, whose batch are the letters of both
    operands and the result.

    - (C1) the equation is letters for one or two operands, divided by a comma, then
      `->` and letters
    - (C2) there is an operand for each list of letters, with a dimension for each
      letter
    - (C3) no operand and no result names a letter twice, and the result names letters
      of operands
    - (C4) dimensions of one letter have one size

    Example:

    ```mlir
    %c = tfir.einsum %a, %b {equation = "bij,bjk->bik"}
        : (tensor<8x2x3xf32>, tensor<8x3x4xf32>) -> tensor<8x2x4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$equation, Variadic<Tfir_FloatTensor>:$inputs);
  let results = (outs Tfir_FloatTensor:$output);
}

def Tfir_AttentionOp : Tfir_Op<"scaled_dot_product_attention",
    [Placeable, Tfir_RandomSource, DeclareOpInterfaceMethods<TypeInferable>,
     DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "softmax(q * k^T * scale) * v: Vaswani et al. 2017";
  let description = [{
    Over the last two dimensions, [queries, depth], [keys, depth] and [keys, values];
    those before are a batch, which broadcasts. Without `scale` it is
    1 / sqrt(depth). A mask of truth values keeps the scores where it is true, one of
    numbers is added to them; both broadcast to [..., queries, keys]. `causal` keeps for
    query i the keys up to i + keys - queries. A query without any key gets the mean of
    all values. `dropout` is the probability with which a weight becomes 0 while the
    others are divided by 1 - dropout; `seed` is that of `tfir.dropout`.

    - (C1) q, k and v have two dimensions at least, and batches that broadcast
    - (C2) q and k have the same depth, k and v the same number of keys
    - (C3) the mask broadcasts to the scores
    - (C4) 0 <= dropout < 1
    - (C5) q, k, v and a mask of numbers have one element type

    Example:

    ```mlir
    %y = tfir.scaled_dot_product_attention %q, %k, %v {causal}
        : (tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x8xf32>)
        -> tensor<2x4x7x8xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$q, Tfir_FloatTensor:$k, Tfir_FloatTensor:$v,
                       Optional<RankedTensorOf<floats # [I1]>>:$mask,
                       UnitAttr:$causal, OptionalAttr<F64Attr>:$scale,
                       DefaultValuedAttr<F64Attr, "0.0">:$dropout,
                       OptionalAttr<I64Attr>:$seed);
  let results = (outs Tfir_FloatTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

#endif
