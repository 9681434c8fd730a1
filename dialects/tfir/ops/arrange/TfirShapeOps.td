// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that arrange the elements of tensors: short for reshapes, slices,
// concatenations, and blocks at equal distances.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRSHAPEOPS
#define GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRSHAPEOPS

include "dialects/tfir/TfirBase.td"

class Tfir_ArrangeOp<string mnemonic, list<Trait> traits = []> :
    Tfir_ComputeOp<mnemonic,
        [DeclareOpInterfaceMethods<Decomposable>] # traits>;

//===-- Blocks at equal distances -----------------------------------------===//

def Tfir_StridedBlockOp : Tfir_ComputeOp<"strided_block", [
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "elements at equal distances along each dimension";
  let description = [{
    From `begin` on, `size` elements along each dimension, `strides` apart; a
    negative stride goes back. What `tfir.strided_slice` and `tfir.reverse` are made
    of.

    - (C1) one `begin`, one `size` and one stride per dimension
    - (C2) no stride is 0, no size is negative
    - (C3) the elements are there: 0 <= place < size of the dimension

    Example:

    ```mlir
    %y = tfir.strided_block %x {begin = array<i64: 9, 0>, size = array<i64: 5, 4>,
                                strides = array<i64: -2, 1>}
        : (tensor<10x4xf32>) -> tensor<5x4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$begin,
                       DenseI64ArrayAttr:$size, DenseI64ArrayAttr:$strides);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_PlaceBlockOp : Tfir_ComputeOp<"place_block", [
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "a tensor of one number, with a block of elements in it";
  let description = [{
    The elements of `x` lie in a tensor of the sizes `dims` where `tfir.strided_block`
    with the same `begin` and `strides` finds them; all others are `value`. What
    `tfir.pad` and the gradients of strided slices are made of.

    - (C1) one size in `dims`, one `begin` and one stride per dimension
    - (C2) no stride is 0, no size is negative
    - (C3) the elements are inside: 0 <= place < size of the dimension
    - (C4) `value` is a number of the element type

    Example:

    ```mlir
    %y = tfir.place_block %x {dims = array<i64: 10, 6>, begin = array<i64: 9, 1>,
                              strides = array<i64: -2, 1>}
        : (tensor<5x4xf32>) -> tensor<10x6xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$dims,
                       DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$strides,
                       DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

//===-- Dimensions of size 1 ----------------------------------------------===//

def Tfir_ExpandDimsOp : Tfir_ArrangeOp<"expand_dims"> {
  let summary = "a dimension of size 1 more";
  let description = [{
    It becomes dimension `axis` of the result; a negative one counts from the last.

    - (C1) the axis is one of the result

    Example: `%y = tfir.expand_dims %x {axis = -1 : i64} : (tensor<2x4xf32>) -> tensor<2x4x1xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, I64Attr:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_SqueezeOp : Tfir_ArrangeOp<"squeeze"> {
  let summary = "dimensions of size 1 less";
  let description = [{
    Those of `axis`, all without it.

    - (C1) each axis is in [-rank, rank) and named once
    - (C2) their sizes are 1
    - (C3) without `axis` all sizes are known

    Example: `%y = tfir.squeeze %x {axis = array<i64: 1>} : (tensor<2x1x4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x,
                       OptionalAttr<DenseI64ArrayAttr>:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

//===-- Borders, repetition, order ----------------------------------------===//

def Tfir_PadOp : Tfir_ArrangeOp<"pad"> {
  let summary = "a tensor with a border around it";
  let description = [{
    `paddings` has two numbers for each dimension, how many elements come before and
    after it. `mode` is "CONSTANT": the border is `constant_values`; "REFLECT": it
    mirrors the elements, without the outermost; "SYMMETRIC": with them; or "EDGE":
    it repeats the outermost ones. Small letters will do.

    - (C1) two paddings per dimension, none negative
    - (C2) the mode is one of the four
    - (C3) a mirrored border is no larger than what it mirrors, and an edge has an
      element
    - (C4) `constant_values` is a number of the element type

    Example:

    ```mlir
    %y = tfir.pad %x {paddings = array<i64: 0, 0, 1, 2>, mode = "REFLECT"}
        : (tensor<2x4xf32>) -> tensor<2x7xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$paddings,
                       DefaultValuedAttr<StrAttr, "\"CONSTANT\"">:$mode,
                       DefaultValuedAttr<F64Attr, "0.0">:$constant_values);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_TileOp : Tfir_ArrangeOp<"tile"> {
  let summary = "a tensor repeated along its dimensions";
  let description = [{
    - (C1) one number per dimension, none negative

    Example: `%y = tfir.tile %x {multiples = array<i64: 1, 3>} : (tensor<2x4xf32>) -> tensor<2x12xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x,
                       DenseI64ArrayAttr:$multiples);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_ReverseOp : Tfir_ArrangeOp<"reverse"> {
  let summary = "the elements in the opposite order along some dimensions";
  let description = [{
    - (C1) each axis is in [-rank, rank) and named once

    Example: `%y = tfir.reverse %x {axis = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_RollOp : Tfir_ArrangeOp<"roll"> {
  let summary = "the elements moved along some dimensions, around the end";
  let description = [{
    By `shift` places towards the end, along the dimension of `axis` at the same
    place of the list; a negative shift moves towards the begin. Shifts of an axis
    that is named twice add up.

    - (C1) as many shifts as axes
    - (C2) each axis is in [-rank, rank)

    Example:

    ```mlir
    %y = tfir.roll %x {shift = array<i64: 1>, axis = array<i64: 1>}
        : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$shift,
                       DenseI64ArrayAttr:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

//===-- Several tensors ---------------------------------------------------===//

def Tfir_StackOp : Tfir_ArrangeOp<"stack"> {
  let summary = "tensors of one type, side by side along a new dimension";
  let description = [{
    It becomes dimension `axis` of the result; a negative one counts from the last.

    - (C1) at least one operand; all have the same type
    - (C2) the axis is one of the result

    Example: `%y = tfir.stack %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Variadic<Tfir_NumberOrBoolTensor>:$values,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_UnstackOp : Tfir_ArrangeOp<"unstack"> {
  let summary = "the slices of a tensor along a dimension, which they lack";
  let description = [{
    A result for each place of dimension `axis`, of which `num` may tell the size.

    - (C1) the axis is in [-rank, rank)
    - (C2) as many results as the dimension has places, and `num` is that number

    Example: `%a, %b = tfir.unstack %x : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$value,
                       OptionalAttr<I64Attr>:$num,
                       DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$outputs);
}

def Tfir_SplitOp : Tfir_ArrangeOp<"split"> {
  let summary = "the parts of a tensor along a dimension";
  let description = [{
    `num_split` equal parts, or parts of the sizes `size_splits`, one of which may be
    -1 and takes what is left. Without both, as many equal parts as there are results.

    - (C1) the axis is in [-rank, rank)
    - (C2) one of `num_split` and `size_splits` at most; they tell as many parts as
      there are results, one at least
    - (C3) the parts are equal: the size of the dimension is a multiple of their number
    - (C4) the sizes add up to that of the dimension

    Example:

    ```mlir
    %a, %b = tfir.split %x {size_splits = array<i64: 1, -1>, axis = 1 : i64}
        : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$value,
                       OptionalAttr<I64Attr>:$num_split,
                       DefaultValuedAttr<I64Attr, "0">:$axis,
                       OptionalAttr<DenseI64ArrayAttr>:$size_splits);
  let results = (outs Variadic<Tfir_NumberOrBoolTensor>:$outputs);
}

//===-- The same number everywhere ----------------------------------------===//

def Tfir_ZerosLikeOp : Tfir_ArrangeOp<"zeros_like"> {
  let summary = "zeros of the type of a tensor";
  let description = [{
    Example: `%y = tfir.zeros_like %x : (tensor<2x4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_OnesLikeOp : Tfir_ArrangeOp<"ones_like"> {
  let summary = "ones of the type of a tensor";
  let description = [{
    Example: `%y = tfir.ones_like %x : (tensor<2x4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_FillOp : Tfir_ArrangeOp<"fill"> {
  let summary = "a scalar as each element of a tensor";
  let description = [{
    - (C1) no size is negative
    - (C2) the value is a scalar

    Example: `%y = tfir.fill %s {dims = array<i64: 2, 4>} : (tensor<f32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins DenseI64ArrayAttr:$dims, Tfir_NumberOrBoolTensor:$value);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

//===-- Slices with strides -----------------------------------------------===//

def Tfir_StridedSliceOp : Tfir_ArrangeOp<"strided_slice"> {
  let summary = "elements at equal distances, chosen as NumPy indexes do";
  let description = [{
    Entry i of `begin`, `end` and `strides` is for one dimension, from the first on;
    negative places count from its end, and a range is cut to what is there. Without
    `strides` all are 1. Bit i of the masks changes the meaning of entry i:
    `ellipsis_mask` makes it stand for as many whole dimensions as leave one for each
    other entry, `new_axis_mask` puts a dimension of size 1 there,
    `shrink_axis_mask` takes the one place `begin` and drops the dimension,
    `begin_mask` and `end_mask` start and end at the ends of the dimension. An entry
    with several of the first three is what comes first in this order.

    - (C1) as many begins as ends and strides
    - (C2) no stride is 0, and that of a place that drops its dimension is positive
    - (C3) at most one ellipsis, and no more entries than dimensions
    - (C4) a single place exists

    Example: `x[::-1, 0]` is

    ```mlir
    %y = tfir.strided_slice %x {begin = array<i64: 0, 0>, end = array<i64: 0, 1>,
        strides = array<i64: -1, 1>, begin_mask = 1 : i64, end_mask = 1 : i64,
        shrink_axis_mask = 2 : i64} : (tensor<2x4xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$begin,
                       DenseI64ArrayAttr:$end,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       DefaultValuedAttr<I64Attr, "0">:$begin_mask,
                       DefaultValuedAttr<I64Attr, "0">:$end_mask,
                       DefaultValuedAttr<I64Attr, "0">:$ellipsis_mask,
                       DefaultValuedAttr<I64Attr, "0">:$new_axis_mask,
                       DefaultValuedAttr<I64Attr, "0">:$shrink_axis_mask);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

#endif
