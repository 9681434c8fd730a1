// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and sums at computed places: rows of tables, sums of segments.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRGATHEROPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRGATHEROPS

include "dialects/tfir/TfirBase.td"

//===-- Reads -------------------------------------------------------------===//

def Tfir_GatherOp : Tfir_ComputeOp<"gather", [
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>]> {
  let summary = "the slices of a tensor that indices name";
  let description = [{
    Along dimension `axis`, which counts from the last one if it is negative and in
    whose place the dimensions of `indices` come. An index outside of it gives zeros,
    as TensorFlow's kernels for GPUs do; nothing outside is read.

    - (C1) `axis` is in [-rank, rank) of `params`

    Example:

    ```mlir
    %y = tfir.gather %table, %i {axis = 0 : i64}
        : (tensor<100x16xf32>, tensor<2x4xi32>) -> tensor<2x4x16xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$params, Tfir_IntTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$output);
}

def Tfir_EmbeddingLookupOp : Tfir_ComputeOp<"embedding_lookup",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the rows of a table, whole or in parts, that ids name";
  let description = [{
    Short for `tfir.gather` along the first dimension. The gradient of a row is the
    sum over the ids that name it, in their order.

    A table in P parts, each perhaps on a server of its own, has as many rows as all of
    them together. With the `partition_strategy` "mod", row i is row i / P of part i % P;
    with "div", part 0 has the first rows, part 1 those after them and so on. Parts differ
    by one row at most, the first ones having more. Each part looks up its own rows.

    - (C1) `params` have a dimension at least
    - (C2) there is a part at least, and all have the same shape but for their rows
    - (C3) of the rows that parts have together, each has its share
    - (C4) `partition_strategy` is "mod" or "div"

    Example:

    ```mlir
    %y = tfir.embedding_lookup %table, %ids
        : (tensor<100x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
    %z = tfir.embedding_lookup %part_0, %part_1, %ids {partition_strategy = "div"}
        : (tensor<51x16xf32>, tensor<50x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberTensor>:$params, Tfir_IntTensor:$ids,
                       DefaultValuedAttr<StrAttr, "\"mod\"">:$partition_strategy);
  let results = (outs Tfir_NumberTensor:$output);
}

def Tfir_GatherNdOp : Tfir_ComputeOp<"gather_nd",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the elements or slices of a tensor at places of several coordinates";
  let description = [{
    The last dimension of `indices` has the coordinates along the first dimensions of
    `params`. A place outside of `params` gives zeros.

    - (C1) `indices` has a dimension at least, and its last one is known
    - (C2) there are no more coordinates than dimensions of `params`

    Example:

    ```mlir
    %y = tfir.gather_nd %x, %at
        : (tensor<3x4x5xf32>, tensor<7x2xi32>) -> tensor<7x5xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$params, Tfir_IntTensor:$indices);
  let results = (outs Tfir_NumberTensor:$output);
}

def Tfir_ScatterNdOp : Tfir_ComputeOp<"scatter_nd",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "updates added into zeros at places of several coordinates";
  let description = [{
    The last dimension of `indices` has the coordinates along the first dimensions of
    `shape`, that of the result. Updates of one place are summed in their order;
    those of a place outside are left out.

    - (C1) `indices` has a dimension at least, and its last one is known
    - (C2) there are no more coordinates than sizes in `shape`, which are 0 or more
    - (C3) `updates` has the shape of `indices` without its last dimension, followed
      by the sizes without coordinates

    Example:

    ```mlir
    %y = tfir.scatter_nd %at, %u {shape = array<i64: 3, 4, 5>}
        : (tensor<7x2xi32>, tensor<7x5xf32>) -> tensor<3x4x5xf32>
    ```
  }];
  let arguments = (ins Tfir_IntTensor:$indices, Tfir_NumberTensor:$updates,
                       DenseI64ArrayAttr:$shape);
  let results = (outs Tfir_NumberTensor:$output);
}

//===-- Segments ----------------------------------------------------------===//

class Tfir_SegmentOpBase<string mnemonic, string formula, Constraint type,
                         list<Trait> traits> :
    Tfir_ComputeOp<mnemonic, traits> {
  let summary = formula;
  let arguments = (ins type:$data, Tfir_IntTensor:$segment_ids,
                       I64Attr:$num_segments);
  let results = (outs type:$output);
}

class Tfir_UnsortedSegmentOp<string mnemonic, string formula, string empty,
                             Constraint type, list<Trait> traits> :
    Tfir_SegmentOpBase<mnemonic, formula, type, traits> {
  let description = [{
    Element or slice i of `data` belongs to the segment `segment_ids[i]`; slices with
    an id outside of [0, num_segments) belong to none. Slices are taken in their
    order, so the bits of the result are always the same. }] # empty # [{

    - (C1) num_segments >= 0
    - (C2) the shape of `data` begins with that of `segment_ids`
    - (C3) at most 2^30 segment ids

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x, %ids {num_segments = 5 : i64}
        : (tensor<8x3xf32>, tensor<8xi32>) -> tensor<5x3xf32>
    ```
  }];
}

def Tfir_UnsortedSegmentSumOp : Tfir_UnsortedSegmentOp<"unsorted_segment_sum",
    "sums of slices by segment", "An empty segment has zeros.", Tfir_NumberTensor,
    [DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]>;
def Tfir_UnsortedSegmentMaxOp : Tfir_UnsortedSegmentOp<"unsorted_segment_max",
    "the largest elements of slices by segment",
    "An empty segment has the lowest finite number of the type. Ties share the gradient.",
    Tfir_NumberTensor,
    [DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]>;
def Tfir_UnsortedSegmentMinOp : Tfir_UnsortedSegmentOp<"unsorted_segment_min",
    "the smallest elements of slices by segment",
    "An empty segment has the largest finite number of the type. Ties share the gradient.",
    Tfir_NumberTensor,
    [DeclareOpInterfaceMethods<Differentiable>,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]>;
def Tfir_UnsortedSegmentMeanOp : Tfir_UnsortedSegmentOp<"unsorted_segment_mean",
    "means of slices by segment", "An empty segment has zeros.", Tfir_FloatTensor,
    [DeclareOpInterfaceMethods<Decomposable>]>;

class Tfir_SegmentOp<string mnemonic, string formula, string unsorted,
                     Constraint type> :
    Tfir_SegmentOpBase<mnemonic, formula, type,
                       [DeclareOpInterfaceMethods<Decomposable>]> {
  let description = [{
    `tfir.}] # unsorted # [{` of ids in one dimension, which are sorted. The number of
    segments is that of the attribute, since shapes are static.

    - (C1) num_segments >= 0
    - (C2) `segment_ids` has one dimension, with which the shape of `data` begins
    - (C3) at most 2^30 segment ids

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x, %ids {num_segments = 5 : i64}
        : (tensor<8x3xf32>, tensor<8xi32>) -> tensor<5x3xf32>
    ```
  }];
}

def Tfir_SegmentSumOp : Tfir_SegmentOp<"segment_sum",
    "sums of slices by sorted segment", "unsorted_segment_sum", Tfir_NumberTensor>;
def Tfir_SegmentMeanOp : Tfir_SegmentOp<"segment_mean",
    "means of slices by sorted segment", "unsorted_segment_mean", Tfir_FloatTensor>;
def Tfir_SegmentMaxOp : Tfir_SegmentOp<"segment_max",
    "the largest elements of slices by sorted segment", "unsorted_segment_max",
    Tfir_NumberTensor>;

//===-- Order -------------------------------------------------------------===//

def Tfir_ArgsortOp : Tfir_ComputeOp<"argsort",
    [DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "the places of the elements of each row, in order of their size";
  let description = [{
    Along the last dimension, the smallest element first, or the largest with
    `descending`. Equal elements keep their order; NaN comes last.

    - (C1) `x` has a dimension at least, and at most 2^30 elements along the last one

    Example: `%i = tfir.argsort %x : (tensor<8x10xf32>) -> tensor<8x10xi32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x, UnitAttr:$descending);
  let results = (outs RankedTensorOf<[I32]>:$places);
}

def Tfir_SortOp : Tfir_ComputeOp<"sort",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the elements of each row in order of their size";
  let description = [{
    As `tfir.argsort` orders them.

    - (C1) `x` has a dimension at least, and at most 2^30 elements along the last one

    Example: `%y = tfir.sort %x {descending} : (tensor<8x10xf32>) -> tensor<8x10xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x, UnitAttr:$descending);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_UniqueOp : Tfir_ComputeOp<"unique",
    [DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "the distinct elements of a list, and which of them each element is";
  let description = [{
    `y` has the distinct elements of `x` in the order in which they come first, and -1
    in its other places, since shapes are static. `idx` has for each element of `x` its
    place in `y`: `x[i] = y[idx[i]]`. There are `max(idx) + 1` distinct ones.

    - (C1) `x` has one dimension, and at most 2^30 elements

    Example:

    ```mlir
    %y, %idx = tfir.unique %x : (tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
    ```
  }];
  let arguments = (ins Tfir_IntTensor:$x);
  let results = (outs Tfir_IntTensor:$y, RankedTensorOf<[I32]>:$idx);
}

def Tfir_TopKOp : Tfir_ComputeOp<"top_k",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the k largest elements of each row, and their places";
  let description = [{
    Along the last dimension, the largest first; of equal elements the first ones.
    NaN comes last.

    - (C1) `x` has a dimension at least, and at most 2^30 elements along the last one
    - (C2) k is from 1 to the size of the last dimension

    Example:

    ```mlir
    %y, %i = tfir.top_k %x {k = 3 : i64}
        : (tensor<8x10xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>)
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, I64Attr:$k);
  let results = (outs Tfir_NumberTensor:$values, RankedTensorOf<[I32]>:$indices);
}

#endif
