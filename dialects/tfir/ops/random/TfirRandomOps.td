// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws from distributions, and random orders. All are made by counting.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_RANDOM_TFIRRANDOMOPS
#define GRAPHC_DIALECTS_TFIR_OPS_RANDOM_TFIRRANDOMOPS

include "dialects/tfir/TfirBase.td"

class Tfir_DrawOp<string mnemonic> :
    Tfir_Op<mnemonic, [Tfir_RandomSource,
        DeclareOpInterfaceMethods<TypeInferable>,
        DeclareOpInterfaceMethods<Decomposable>]>;

def Tfir_RandomUniformIntOp :
    Tfir_DrawOp<"random_uniform_int">, Tfir_ResultsBy<"shape"> {
  let summary = "uniform random integers from [minval, maxval)";
  let description = [{
    `minval + x % (maxval - minval)` for x of 48 random bits, of which the upper half is
    of one stream of `tfir.random_uniform` and the lower one of another. The elements
    are i32 or i64, as the result is written.

    - (C1) at most 2^31 - 1 elements
    - (C2) the element type has `minval`, and maxval - 1; there are from 1 to 2^31
      numbers

    Example: `%i = tfir.random_uniform_int {minval = 1, maxval = 7} : tensor<1024xi32>`
  }];
  let arguments = (ins I64Attr:$minval, I64Attr:$maxval,
                       OptionalAttr<I64Attr>:$seed);
  let results = (outs Tfir_IntTensor:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

class Tfir_DrawFromOp<string mnemonic> : Tfir_DrawOp<mnemonic> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

def Tfir_BernoulliOp : Tfir_DrawFromOp<"bernoulli"> {
  let summary = "1 with the probability that is given, else 0";
  let description = [{
    1 where a number of `tfir.random_uniform` is below the probability, which is taken as
    a multiple of 2^-24. There is no gradient.

    - (C1) at most 2^31 - 1 elements

    Example: `%y = tfir.bernoulli %p {seed = 3} : (tensor<8xf32>) -> tensor<8xi32>`
  }];
  let arguments = (ins Tfir_F32Tensor:$probs, OptionalAttr<I64Attr>:$seed);
  let results = (outs RankedTensorOf<[I32]>:$output);
}

def Tfir_MultinomialOp : Tfir_DrawFromOp<"multinomial"> {
  let summary = "classes, drawn by unnormalised log-probabilities";
  let description = [{
    `tf.multinomial`, `tf.random.categorical`: `num_samples` classes for each row of
    `logits`, by the inverse of the distribution function: the first class at which the
    running sum of the softmax passes u times its last value, for u of
    `tfir.random_uniform`. A class with the logit -infinity is never drawn; where NaN is
    among the probabilities it is class 0. Work and memory are those of rows * samples *
    classes elements.

    - (C1) the logits have two dimensions, and a class at least
    - (C2) num_samples >= 0, and at most 2^31 - 1 elements

    Example:

    ```mlir
    %y = tfir.multinomial %x {num_samples = 5} : (tensor<8x10xf32>) -> tensor<8x5xi64>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$logits, I64Attr:$num_samples,
                       OptionalAttr<I64Attr>:$seed);
  let results = (outs RankedTensorOf<[I64]>:$output);
}

def Tfir_RandomGammaOp : Tfir_DrawFromOp<"random_gamma"> {
  let summary = "numbers of gamma distributions";
  let description = [{
    Samples of the shape `shape` for each element of `alpha`, divided by `beta`, the
    inverse scale, which broadcasts to `alpha`.

    By Marsaglia and Tsang: each round takes a candidate of a normal number, which is
    accepted with a probability of 0.95 at least. There are always six rounds, of which
    the first accepted candidate counts; in one of 10^8 samples none is, and it is
    `alpha - 1/3`. For alpha below 1, a sample of alpha + 1 is multiplied by
    u^(1/alpha). There is a gradient to `beta`, and none to `alpha`.

    - (C1) no size is negative, and at most 2^31 - 1 elements
    - (C2) `beta` broadcasts to `alpha`

    Example:

    ```mlir
    %y = tfir.random_gamma %a, %b {shape = array<i64: 100>}
        : (tensor<3xf32>, tensor<f32>) -> tensor<100x3xf32>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$alpha, Optional<Tfir_F32Tensor>:$beta,
                       DenseI64ArrayAttr:$shape, OptionalAttr<I64Attr>:$seed);
  let results = (outs Tfir_F32Tensor:$output);
}

class Tfir_RandomLikeOp<string mnemonic, string op, dag numbers> :
    Tfir_DrawFromOp<mnemonic> {
  let summary = "tfir." # op # " of the shape of a tensor";
  let description = [{
    As many numbers as `x` has elements, whose values do not count: noise for each example
    of a batch that is not known yet, of which each tower draws its part. There is no
    gradient.

    - (C1) at most 2^31 - 1 elements

    Example: `%y = tfir.}] # mnemonic # " %x : (tensor<?x4xf32>) -> tensor<?x4xf32>`";
  let arguments = !con((ins Tfir_NumberOrBoolTensor:$x), numbers,
                       (ins OptionalAttr<I64Attr>:$seed));
  let results = (outs Tfir_F32Tensor:$output);
}

defvar ofNormal = (ins DefaultValuedAttr<F64Attr, "0.0">:$mean,
                       DefaultValuedAttr<F64Attr, "1.0">:$stddev);
def Tfir_RandomUniformLikeOp : Tfir_RandomLikeOp<"random_uniform_like",
    "random_uniform", (ins DefaultValuedAttr<F64Attr, "0.0">:$minval,
         DefaultValuedAttr<F64Attr, "1.0">:$maxval)>;
def Tfir_RandomNormalLikeOp : Tfir_RandomLikeOp<"random_normal_like",
    "random_normal", ofNormal>;
def Tfir_TruncatedNormalLikeOp : Tfir_RandomLikeOp<"truncated_normal_like",
    "truncated_normal", ofNormal>;

def Tfir_RandomShuffleOp : Tfir_DrawFromOp<"random_shuffle"> {
  let summary = "the rows of a tensor in a random order";
  let description = [{
    Along the first dimension, in the order of 48 random bits for each row, as those of
    `tfir.random_uniform_int`; rows with equal ones keep their order.

    - (C1) the operand has a dimension at least, and at most 2^30 rows

    Example: `%y = tfir.random_shuffle %x {seed = 3} : (tensor<8x4xf32>) -> tensor<8x4xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, OptionalAttr<I64Attr>:$seed);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

#endif
