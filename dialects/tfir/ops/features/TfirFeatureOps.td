// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories of values, as the feature columns of TensorFlow make them, and the
// numbers of such columns.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATUREOPS
#define GRAPHC_DIALECTS_TFIR_OPS_FEATURES_TFIRFEATUREOPS

include "dialects/tfir/TfirBase.td"
include "dialects/tfir/ops/features/TfirFeatureColumns.td"

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

def Tfir_InputLayerOp : Tfir_ComputeOp<"input_layer",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the numbers that columns make of features";
  let description = [{
    Each operand has a key, by which columns name it: a feature, whose first dimension is
    the batch, or a table of an `embedding_column`. The numbers of an example are those of
    its columns one after another, in the order of the names of the columns, which are
    TensorFlow's: bytes are compared, so capitals stand before small letters. The order of
    `columns` does not matter.

    A value -1 of a feature of integers is missing, as is any that is no category: it has no
    place in an indicator, and does not count in an embedding. So can examples with fewer
    values be filled up.

    - (C1) there is a key for each operand; keys are not empty, and differ
    - (C2) there is a column at least; all have numbers, together less than 2^31, and
      different names
    - (C3) each key in a column is that of an operand, each operand is in a column, and none
      is a feature and a table
    - (C4) the types of features and tables are those that the columns take: of a
      `numeric_column` numbers of its shape, of categories integers of [batch] or
      [batch, values], of an embedding f32 with a row for each category
    - (C5) the batches of features are equal

    Example:

    ```mlir
    %y = tfir.input_layer %age, %town, %towns {keys = ["age", "town", "towns"], columns = [
        #tfir.numeric_column<key = "age", scale = 100.0>,
        #tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<
            key = "town", num_buckets = 50>, table = "towns">]}
        : (tensor<8xf32>, tensor<8x3xi64>, tensor<50x4xf32>) -> tensor<8x5xf32>
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberTensor>:$features, StrArrayAttr:$keys,
                       Tfir_FeatureColumns:$columns);
  let results = (outs Tfir_F32Tensor:$output);
}

def Tfir_LinearModelOp : Tfir_ComputeOp<"linear_model",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "a sum of weights for what columns make of features";
  let description = [{
    Operands, keys and columns are those of `tfir.input_layer`; columns of categories may
    also stand for themselves, and a `bucketized_column` is one. `weights` has the key of the
    weights of each column in `columns`, with a row for each category or number. Rows of the
    categories of an example are combined as by an `embedding_column`; numbers are multiplied
    with theirs. The result is the sum of both over all columns, in the order of their names,
    and of the operand `bias`, where there is one.

    - (C1) to (C5) are those of `tfir.input_layer`, but that columns of categories are
      columns, too
    - (C6) there are weights for each column, f32 of [categories or numbers, units], and the
      bias is f32 of [units]
    - (C7) `sparse_combiner` is "mean", "sum" or "sqrtn"

    Example:

    ```mlir
    %y = tfir.linear_model %age, %town, %w, %towns, %b {
        keys = ["age", "town", "w", "towns", "b"], columns = [
        #tfir.numeric_column<key = "age">,
        #tfir.categorical_column_with_identity<key = "town", num_buckets = 50>],
        weights = ["w", "towns"], bias = "b"}
        : (tensor<8xf32>, tensor<8xi64>, tensor<1x1xf32>, tensor<50x1xf32>, tensor<1xf32>)
        -> tensor<8x1xf32>
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberTensor>:$features, StrArrayAttr:$keys,
                       Tfir_FeatureColumns:$columns, StrArrayAttr:$weights,
                       OptionalAttr<StrAttr>:$bias,
                       DefaultValuedAttr<StrAttr, "\"sum\"">:$sparse_combiner);
  let results = (outs Tfir_F32Tensor:$output);
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
