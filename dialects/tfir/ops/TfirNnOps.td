// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution, pooling, bias, dropout, softmax and losses. Images are NHWC,
// filters HWIO.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_TFIRNNOPS
#define GRAPHC_DIALECTS_TFIR_OPS_TFIRNNOPS

include "dialects/tfir/TfirBase.td"
include "dialects/tfir/TfirContraction.td"

//===-- Convolution -------------------------------------------------------===//

def Tfir_Conv2DOp : Tfir_ComputeOp<"conv2d",
    [DeclareOpInterfaceMethods<Tfir_Contraction>,
     DeclareOpInterfaceMethods<Decomposable, ["isShorthand"]>,
     DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "convolution of images with filters";
  let description = [{
    `padding` is "SAME" (out = ceil(in / stride), the extra pixel after), "VALID"
    (out = ceil((in - kernel + 1) / stride)) or "EXPLICIT", with the pixels of zeros
    above, below, left and right as `explicit_paddings`. Elements of the filter are
    `dilations` pixels apart, so that it counts as (kernel - 1) * dilation + 1 pixels.
    With `groups`, the channels of images and results are in so many blocks, and
    those of a result follow from the block of the same number: the filter is
    [height, width, in / groups, out]. With `data_format` "NCHW" images and results
    have that order of dimensions, with transposes around the convolution.

    - (C1) both operands have rank 4, the images as many channels as the filter
    - (C2) padding is "SAME", "VALID" or "EXPLICIT"
    - (C3) strides are two numbers >= 1
    - (C4) with "VALID" the filter fits into the image
    - (C5) explicit_paddings are four numbers >= 0 with "EXPLICIT", none otherwise
    - (C6) dilations are two numbers >= 1
    - (C7) groups divides the channels of the images and of the result
    - (C8) data_format is "NHWC" or "NCHW"
    - (C9) the element types are equal

    Products of f16 and bf16 are added as f32, and each sum is rounded once. Those of
    f64 and of integers are plain sums of products; integers wrap around.

    Example:

    ```mlir
    %y = tfir.conv2d %x, %f {padding = "SAME"}
        : (tensor<1x28x28x1xf32>, tensor<5x5x1x32xf32>) -> tensor<1x28x28x32xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$input, Tfir_NumberTensor:$filter,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
      DefaultValuedAttr<I64Attr, "1">:$groups,
      DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Tfir_NumberTensor:$output);
}

class Tfir_Conv2DBackpropOp<string mnemonic, dag operands> :
    Tfir_Op<mnemonic, [Pure, Placeable,
                       DeclareOpInterfaceMethods<Tfir_Contraction>,
                       DeclareOpInterfaceMethods<Differentiable>]> {
  let arguments = !con(operands, (ins
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings));
  let results = (outs Tfir_F32Tensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}
def Tfir_Conv2DBackpropInputOp : Tfir_Conv2DBackpropOp<"conv2d_backprop_input",
    (ins Tfir_F32Tensor:$filter, Tfir_F32Tensor:$out_backprop)> {
  let summary = "the gradient of a convolution by its images";
  let description = [{
    - (C1) the shapes are those of a convolution with these strides and padding
    - (C2) explicit_paddings are less than the filter is high or wide

    Example:

    ```mlir
    %dx = tfir.conv2d_backprop_input %f, %dy {padding = "SAME"}
        : (tensor<5x5x1x32xf32>, tensor<1x28x28x32xf32>) -> tensor<1x28x28x1xf32>
    ```
  }];
}
def Tfir_Conv2DBackpropFilterOp : Tfir_Conv2DBackpropOp<"conv2d_backprop_filter",
    (ins Tfir_F32Tensor:$input, Tfir_F32Tensor:$out_backprop)> {
  let summary = "the gradient of a convolution by its filter";
  let description = [{
    - (C1) the shapes are those of a convolution with these strides and padding
    - (C2) explicit_paddings are less than the filter is high or wide

    Example:

    ```mlir
    %df = tfir.conv2d_backprop_filter %x, %dy {padding = "SAME"}
        : (tensor<1x28x28x1xf32>, tensor<1x28x28x32xf32>) -> tensor<5x5x1x32xf32>
    ```
  }];
}

def Tfir_PrepareFilterOp : Tfir_Op<"prepare_filter", [Pure, Placeable,
    DeclareOpInterfaceMethods<Tfir_Contraction>]> {
  let summary = "a filter as the gradient by the images reads it";
  let description = [{
    Made when lowering: flipped in both directions, with its channels exchanged.

    - (C1) the result has the dimensions kh, kw, out, in of the filter

    Example: `%p = tfir.prepare_filter %f : (tensor<5x5x8x16xf32>) -> tensor<5x5x16x8xf32>`
  }];
  let arguments = (ins Tfir_F32Tensor:$filter);
  let results = (outs Tfir_F32Tensor:$prepared);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_Conv2DPreparedBackpropInputOp :
    Tfir_Op<"conv2d_prepared_backprop_input", [Pure, Placeable,
        DeclareOpInterfaceMethods<Tfir_Contraction>]> {
  let summary = "the gradient of a convolution by its images";
  let description = [{
    Made when lowering: `tfir.conv2d_backprop_input` of a prepared filter.

    - (C1) the shapes are those of a convolution with these strides and padding

    Example:

    ```mlir
    %dx = tfir.conv2d_prepared_backprop_input %p, %dy
        : (tensor<5x5x32x1xf32>, tensor<1x28x28x32xf32>) -> tensor<1x28x28x1xf32>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$prepared, Tfir_F32Tensor:$out_backprop,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);
  let results = (outs Tfir_F32Tensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_Conv2DFilterPartialsOp :
    Tfir_Op<"conv2d_filter_partials", [Pure, Placeable,
        DeclareOpInterfaceMethods<Tfir_Contraction>]> {
  let summary = "the gradient of a convolution by its filter, in parts";
  let description = [{
    Made when lowering: the sum of the parts along the first dimension is
    `tfir.conv2d_backprop_filter`. Each part belongs to some of the images, so that
    parts can be computed side by side.

    - (C1) the shapes are those of a convolution with these strides and padding

    Example:

    ```mlir
    %df = tfir.conv2d_filter_partials %x, %dy
        : (tensor<4x28x28x1xf32>, tensor<4x28x28x32xf32>) -> tensor<2x5x5x1x32xf32>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$input, Tfir_F32Tensor:$out_backprop,
      DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);
  let results = (outs Tfir_F32Tensor:$partials);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

//===-- Pooling -----------------------------------------------------------===//

class Tfir_PoolOp<string mnemonic, string text> :
    Tfir_ComputeOp<mnemonic, [
        DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>,
        DeclareOpInterfaceMethods<Decomposable, ["isShorthand"]>,
        DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = text;
  let description = [{
    Over windows of `ksize` (height, width), `strides` apart, with the padding of
    `tfir.conv2d`: only the pixels inside the image count. With `data_format` "NCHW"
    images and results have that order of dimensions, with transposes around the
    pool.

    - (C1) the operand has rank 4
    - (C2) padding is "SAME", "VALID" or "EXPLICIT", ksize and strides are two
      numbers >= 1, and with "VALID" a window fits into the image
    - (C3) explicit_paddings are four numbers >= 0 with "EXPLICIT", none otherwise,
      each less than ksize, so that no window is without a pixel
    - (C4) data_format is "NHWC" or "NCHW"

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : (tensor<1x28x28x32xf32>) -> tensor<1x14x14x32xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$input,
      DenseI64ArrayAttr:$ksize, DenseI64ArrayAttr:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Tfir_FloatTensor:$output);
}
def Tfir_MaxPoolOp : Tfir_PoolOp<"max_pool", "the largest pixel of each window">;
def Tfir_AvgPoolOp : Tfir_PoolOp<"avg_pool", "the mean pixel of each window">;

def Tfir_MaxPoolGradOp : Tfir_Op<"max_pool_grad", [Pure, Placeable, SameOperandsElementType,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>]> {
  let summary = "the gradient of a max pool by its images";
  let description = [{
    The gradient of a window goes to its first largest pixel in row-major order.

    - (C1) the shapes are those of a max pool with these attributes

    Example:

    ```mlir
    %dx = tfir.max_pool_grad %x, %y, %dy
        {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : (tensor<1x4x4x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>)
        -> tensor<1x4x4x8xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$output,
      Tfir_FloatTensor:$gradient,
      DenseI64ArrayAttr:$ksize, DenseI64ArrayAttr:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);
  let results = (outs Tfir_FloatTensor:$input_gradient);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_AvgPoolGradOp : Tfir_Op<"avg_pool_grad", [Pure, Placeable,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>]> {
  let summary = "the gradient of an average pool by its images";
  let description = [{
    - (C1) the shapes are those of an average pool with these attributes

    Example:

    ```mlir
    %dx = tfir.avg_pool_grad %dy
        {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : (tensor<1x2x2x8xf32>) -> tensor<1x4x4x8xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$gradient,
      DenseI64ArrayAttr:$ksize, DenseI64ArrayAttr:$strides,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);
  let results = (outs Tfir_FloatTensor:$input_gradient);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

//===-- Layers ------------------------------------------------------------===//

def Tfir_BiasAddOp : Tfir_ComputeOp<"bias_add",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "adds a vector to the last dimension";
  let description = [{
    To dimension 1 with `data_format` "NCHW", which is any tensor with the channels
    there.

    - (C1) `bias` is a vector as long as the last dimension of `value`, or as
      dimension 1
    - (C2) data_format is "NHWC" or "NCHW"

    Example: `%y = tfir.bias_add %x, %b : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$value, Tfir_NumberTensor:$bias,
      DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Tfir_NumberTensor:$output);
}

def Tfir_DropoutOp : Tfir_Op<"dropout", [Tfir_RandomSource,
    DeclareOpInterfaceMethods<TypeInferable>,
    DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "zeroes elements at random and scales the others";
  let description = [{
    Keeps each element with probability `keep_prob`, divided by it; see
    `tfir.random_uniform` for the stream and `seed`.

    - (C1) 0 < keep_prob <= 1

    Example: `%y = tfir.dropout %x {keep_prob = 0.5} : (tensor<8xf32>) -> tensor<8xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x, F64Attr:$keep_prob,
                       OptionalAttr<I64Attr>:$seed);
  let results = (outs Tfir_FloatTensor:$y);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
}

//===-- Softmax and losses ------------------------------------------------===//

class Tfir_SoftmaxOpBase<string mnemonic, string text> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Lowerable>,
                              DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = text;
  let description = [{
    - (C1) rank >= 1

    Example: `%y = tfir.}] # mnemonic # [{ %x : (tensor<8x10xf32>) -> tensor<8x10xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$logits);
  let results = (outs Tfir_FloatTensor:$output);
}
def Tfir_SoftmaxOp : Tfir_SoftmaxOpBase<"softmax",
    "exp(x) / sum(exp(x)) along the last dimension">;
def Tfir_LogSoftmaxOp : Tfir_SoftmaxOpBase<"log_softmax",
    "x - log(sum(exp(x))) along the last dimension">;

def Tfir_SoftmaxXentOp :
    Tfir_ComputeOp<"softmax_cross_entropy_with_logits",
        [SameOperandsElementType, DeclareOpInterfaceMethods<Lowerable>,
         DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "cross entropy of softmax(logits) with a distribution";
  let description = [{
    Gives the loss of each row, and the gradient of the loss by the logits.

    - (C1) both operands are matrices of the same shape

    Example:

    ```mlir
    %loss, %backprop = tfir.softmax_cross_entropy_with_logits %logits, %labels
        : (tensor<8x10xf32>, tensor<8x10xf32>) -> (tensor<8xf32>, tensor<8x10xf32>)
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$logits, Tfir_FloatTensor:$labels);
  let results = (outs Tfir_FloatTensor:$loss, Tfir_FloatTensor:$backprop);
}

def Tfir_SparseSoftmaxXentOp :
    Tfir_ComputeOp<"sparse_softmax_cross_entropy_with_logits",
        [DeclareOpInterfaceMethods<Lowerable>,
         DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "cross entropy of softmax(logits) with the right class";
  let description = [{
    Gives the loss of each row, and the gradient of the loss by the logits. A label
    outside [0, classes) makes that row's loss and gradient NaN.

    - (C1) `logits` is a matrix, `labels` has one integer for each of its rows

    Example:

    ```mlir
    %loss, %backprop = tfir.sparse_softmax_cross_entropy_with_logits %logits, %labels
        : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8x10xf32>)
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$logits, Tfir_IntTensor:$labels);
  let results = (outs Tfir_FloatTensor:$loss, Tfir_FloatTensor:$backprop);
}

def Tfir_L2LossOp : Tfir_ComputeOp<"l2_loss",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "half the sum of squares";
  let description = "Example: `%l = tfir.l2_loss %w : (tensor<4x4xf32>) -> tensor<f32>`";
  let arguments = (ins Tfir_FloatTensor:$x);
  let results = (outs Tfir_FloatTensor:$loss);
}

#endif
