// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories of values, as the feature columns of TensorFlow make them.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATUREOPS
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATUREOPS

include "dialects/tfir/TfirBase.td"

def Tfir_BucketizeOp : Tfir_ComputeOp<"bucketize",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "between which boundaries each number lies";
  let description = [{
    The number of boundaries that are not above x: a boundary begins a bucket. Of n
    boundaries in increasing order there are n + 1 buckets; NaN is in the last one. It is
    TensorFlow's Bucketize, and bucketized_column, where the boundaries are an attribute.

    - (C1) `boundaries` is a list of the element type of `x`

    Example:

    ```mlir
    %bucket = tfir.bucketize %x, %boundaries
        : (tensor<8x3xf32>, tensor<4xf32>) -> tensor<8x3xi32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, Tfir_NumberTensor:$boundaries);
  let results = (outs RankedTensorOf<[I32]>:$bucket);
}

def Tfir_HashBucketOp : Tfir_ElementwiseOp<"hash_bucket"> {
  let summary = "a category of one integer or several by their hash";
  let description = [{
    The integers at one place, broadcast as numpy does, are hashed in their order: a hash
    of 64 bits, at first `seed`, becomes mix(hash + 0x9E3779B97F4A7C15 + key) for each
    key, which is extended to 64 bits with its sign. mix is that of SplitMix64 (Steele
    et al. 2014): z ^= z >> 30, z *= 0xBF58476D1CE4E5B9, z ^= z >> 27,
    z *= 0x94D049BB133111EB, z ^= z >> 31, without signs. The result is the hash modulo
    `num_buckets`: the same on all devices and in all versions. It is
    categorical_column_with_hash_bucket of integers, and of several keys crossed_column,
    with another hash than TensorFlow's, which is one of strings.

    - (C1) there is a key at least
    - (C2) the shapes broadcast: aligned at the last dimension, equal or 1
    - (C3) num_buckets >= 1

    Example:

    ```mlir
    %category = tfir.hash_bucket %town, %age {num_buckets = 1000 : i64}
        : (tensor<8xi64>, tensor<8xi32>) -> tensor<8xi64>
    ```
  }];
  let arguments = (ins Variadic<Tfir_IntTensor>:$keys, I64Attr:$num_buckets,
                       DefaultValuedAttr<I64Attr, "0">:$seed);
  let results = (outs RankedTensorOf<[I64]>:$category);
}

def Tfir_VocabularyIndexOp : Tfir_ComputeOp<"vocabulary_index",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the place of each integer in a list";
  let description = [{
    The first place of x in `vocabulary`, or `default_value` where it is not there: of
    integers, categorical_column_with_vocabulary_list. Each element is compared with the
    whole list.

    - (C1) `vocabulary` is a list of the element type of `x`

    Example:

    ```mlir
    %place = tfir.vocabulary_index %x, %vocabulary
        : (tensor<8x3xi64>, tensor<100xi64>) -> tensor<8x3xi64>
    ```
  }];
  let arguments = (ins Tfir_IntegerTensor:$x, Tfir_IntegerTensor:$vocabulary,
                       DefaultValuedAttr<I64Attr, "-1">:$default_value);
  let results = (outs RankedTensorOf<[I64]>:$place);
}

#endif
