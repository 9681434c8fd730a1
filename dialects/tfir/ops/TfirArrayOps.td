// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, random numbers and changes of shape.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRARRAYOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRARRAYOPS

include "dialects/tfir/TfirBase.td"

def Tfir_ConstOp : Tfir_Op<"const", [Pure, ConstantLike, Tfir_Rematerializable,
    AllTypesMatch<["value", "output"]>,
    DeclareOpInterfaceMethods<Placeable, ["deviceKinds"]>]> {
  let summary = "a constant tensor";
  let description = [{
    - (C1) the value has the result's type, with a static shape

    Example:

    ```mlir
    %0 = tfir.const dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = tfir.const dense<"hello"> : tensor<!tfir.string>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tfir_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

//===-- Random numbers ----------------------------------------------------===//

class Tfir_RandomOp<string mnemonic, dag extra> :
    Tfir_Op<mnemonic, [Tfir_RandomSource,
        DeclareOpInterfaceMethods<TypeInferable>,
        DeclareOpInterfaceMethods<Decomposable>]>, Tfir_ResultsBy<"shape"> {
  let arguments = !con(extra, (ins OptionalAttr<I64Attr>:$seed));
  let results = (outs Tfir_F32Tensor:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

def Tfir_RandomUniformOp : Tfir_RandomOp<"random_uniform",
    (ins DefaultValuedAttr<F64Attr, "0.0">:$minval,
         DefaultValuedAttr<F64Attr, "1.0">:$maxval)> {
  let summary = "uniform random numbers from [minval, maxval)";
  let description = [{
    Made by counting (Philox4x32-10), so they cost no memory where they are
    consumed: element i of step s follows from the run's seed, `seed` (or, without
    it, the op's name), s and i alone.

    - (C1) at most 2^31 - 1 elements

    Example: `%x = tfir.random_uniform {seed = 7} : tensor<1024xf32>`
  }];
}
def Tfir_RandomNormalOp : Tfir_RandomOp<"random_normal",
    (ins DefaultValuedAttr<F64Attr, "0.0">:$mean,
         DefaultValuedAttr<F64Attr, "1.0">:$stddev)> {
  let summary = "normal random numbers";
  let description = [{
    By Box and Muller from two uniform numbers; see `tfir.random_uniform`.

    Example: `%x = tfir.random_normal {stddev = 0.1} : tensor<1024xf32>`
  }];
}
def Tfir_TruncatedNormalOp : Tfir_RandomOp<"truncated_normal",
    (ins DefaultValuedAttr<F64Attr, "0.0">:$mean,
         DefaultValuedAttr<F64Attr, "1.0">:$stddev)> {
  let summary = "normal random numbers within two deviations of the mean";
  let description = [{
    By the inverse of the distribution function, so no number is drawn twice; see
    `tfir.random_uniform`.

    Example: `%x = tfir.truncated_normal {stddev = 0.1} : tensor<1024xf32>`
  }];
}

def Tfir_PhiloxUniformOp : Tfir_Op<"philox_uniform", [Pure,
    DeclareOpInterfaceMethods<TypeInferable>,
    DeclareOpInterfaceMethods<Tfir_Elementwise, ["isCheapToRecompute"]>]> {
  let summary = "uniform random numbers from [0, 1) of one stream";
  let description = [{
    What the random ops are made of. Element i is `x / 2^24` for the upper 24
    bits x of word (i / 16) % 4 of the Philox4x32-10 block with the counter
    {(i / 64) * 16 + i % 16, stream, step, replica} and the run's seed as key.
    When the number n of elements is a multiple of 64, the counter is that of
    element `replica * n + i` with 0 for the replica: towers draw, one after
    another, what one device draws for all of them. The operands are those of
    `tfir.step_state`.

    Example:

    ```mlir
    %u = tfir.philox_uniform %seed_low, %seed_high, %step, %replica
        {stream = 7 : i64} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
        -> tensor<64xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$seed_low,
                       RankedTensorOf<[I32]>:$seed_high,
                       RankedTensorOf<[I32]>:$step,
                       RankedTensorOf<[I32]>:$replica, I64Attr:$stream);
  let results = (outs Tfir_F32Tensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

def Tfir_StepStateOp : Tfir_Op<"step_state", [Pure, Tfir_Rematerializable]> {
  let summary = "seed, step and replica of the running step";
  let description = [{
    The low and the high word of the seed, the low word of the step, the number of
    the replica, which is that of the attribute.

    Example: `%a, %b, %step, %replica = tfir.step_state`
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$replica);
  let results = (outs Tfir_I32Scalar:$seed_low, Tfir_I32Scalar:$seed_high,
                      Tfir_I32Scalar:$step, Tfir_I32Scalar:$replica_word);
  let assemblyFormat = "attr-dict";
}

//===-- Shapes ------------------------------------------------------------===//

def Tfir_ReshapeOp : Tfir_Op<"reshape", [Pure, Tfir_MovesElements,
    DeclareOpInterfaceMethods<TypeInferable>,
    DeclareOpInterfaceMethods<Differentiable>]>, Tfir_ResultsBy<"shape"> {
  let summary = "the same elements in another shape";
  let description = [{
    The shape is that of the result; one dimension may be `?` and follows from the
    number of elements.

    - (C1) the number of elements stays
    - (C2) at most one `?`, once the operand is static

    Example: `%y = tfir.reshape %x : (tensor<100x7x7x64xf32>) -> tensor<100x3136xf32>`
  }];
  let arguments = (ins Tfir_Tensor:$x);
  let results = (outs Tfir_Tensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasFolder = 1;
}

def Tfir_SliceOp : Tfir_ComputeOp<"slice", [Tfir_MovesElements,
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "a block of a tensor";
  let description = [{
    From `begin` on, `size` elements along each dimension; a size of -1 takes all
    that is left.

    - (C1) one `begin` and one `size` per dimension
    - (C2) 0 <= begin, and begin + size does not pass the end

    Example:

    ```mlir
    %y = tfir.slice %x {begin = array<i64: 25, 0>, size = array<i64: 25, -1>}
        : (tensor<100x784xf32>) -> tensor<25x784xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, DenseI64ArrayAttr:$begin,
                       DenseI64ArrayAttr:$size);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_ConcatOp : Tfir_ComputeOp<"concat", [Tfir_MovesElements,
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "tensors one after another";
  let description = [{
    Along dimension `axis`; a negative one counts from the last.

    - (C1) at least one operand; all have the same element type and, but for
      `axis`, the same shape
    - (C2) the axis exists

    Example:

    ```mlir
    %y = tfir.concat %a, %b {axis = 0 : i64}
        : (tensor<25x10xf32>, tensor<75x10xf32>) -> tensor<100x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Tfir_NumberOrBoolTensor>:$xs, I64Attr:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_BroadcastToOp : Tfir_Op<"broadcast_to", [Pure, Tfir_MovesElements,
    DeclareOpInterfaceMethods<TypeInferable>,
    DeclareOpInterfaceMethods<Tfir_Elementwise, ["isCheapToRecompute"]>,
    DeclareOpInterfaceMethods<Differentiable>]>, Tfir_ResultsBy<"shape"> {
  let summary = "repeats elements up to a larger shape";
  let description = [{
    - (C1) the operand's shape broadcasts to the result's

    Example: `%y = tfir.broadcast_to %x : (tensor<4xf32>) -> tensor<2x4xf32>`
  }];
  let arguments = (ins Tfir_Tensor:$x);
  let results = (outs Tfir_Tensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasFolder = 1;
}

def Tfir_TransposeOp : Tfir_ComputeOp<"transpose",
    [Tfir_MovesElements, DeclareOpInterfaceMethods<Lowerable, ["keepsRows"]>,
     DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "the same elements with the dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `perm[i]` of the operand.

    - (C1) `perm` names each dimension once

    Example:

    ```mlir
    %y = tfir.transpose %x {perm = array<i64: 1, 0>}
        : (tensor<2x4xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, DenseI64ArrayAttr:$perm);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_OneHotOp : Tfir_ComputeOp<"one_hot",
    [DeclareOpInterfaceMethods<Lowerable, ["keepsRows"]>]> {
  let summary = "1 at the index, 0 elsewhere, along a new dimension";
  let description = [{
    The new dimension is `axis` of the result, which counts from the last if it is
    negative: the last one. An index outside [0, depth) gives `off_value` everywhere.
    The elements are f32 unless the type of the result is written.

    - (C1) depth >= 1
    - (C2) `axis` is in [-rank, rank) of the result
    - (C3) the element type has both values

    Example: `%y = tfir.one_hot %i {depth = 10} : (tensor<8xi32>) -> tensor<8x10xf32>`

    Example:

    ```mlir
    %y = tfir.one_hot %i {depth = 10, on_value = 5.0 : f64, off_value = -1.0 : f64,
                          axis = 0} : (tensor<8xi32>) -> tensor<10x8xi64>
    ```
  }];
  let arguments = (ins Tfir_IntTensor:$indices, I64Attr:$depth,
                       DefaultValuedAttr<F64Attr, "1.0">:$on_value,
                       DefaultValuedAttr<F64Attr, "0.0">:$off_value,
                       DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Tfir_NumberOrBoolTensor:$output);
}

#endif
