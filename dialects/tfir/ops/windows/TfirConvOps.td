// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of each channel by itself, and those that are short for others.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_TFIRCONVOPS
#define GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_TFIRCONVOPS

include "dialects/tfir/TfirBase.td"

// Attributes of windows over images of two dimensions.
defvar convWindows = (ins
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
    DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations);
// The same of three dimensions, groups and format.
defvar convVolumes = (ins
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1, 1}">:$strides,
    DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1, 1}">:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups,
    DefaultValuedAttr<StrAttr, "\"NDHWC\"">:$data_format);
defvar convDataFormat = (ins DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);

//===-- Depthwise ---------------------------------------------------------===//

def Tfir_DepthwiseConv2DOp : Tfir_ComputeOp<"depthwise_conv2d",
    [SameOperandsElementType,
     DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>,
     DeclareOpInterfaceMethods<Decomposable, ["isShorthand"]>,
     DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "convolution of each channel with filters of its own";
  let description = [{
    The filter is [height, width, channels, multiplier]; channel c * multiplier + m
    of the result follows from channel c of the images. Strides, padding, dilations
    and `data_format` are those of `tfir.conv2d`.

    - (C1) both operands have rank 4, the images as many channels as the filter
    - (C2) strides, padding, explicit_paddings and dilations are as for
      `tfir.conv2d`, and the filter fits into the padded image
    - (C3) data_format is "NHWC" or "NCHW"

    Example:

    ```mlir
    %y = tfir.depthwise_conv2d %x, %f
        : (tensor<1x28x28x8xf32>, tensor<3x3x8x1xf32>) -> tensor<1x28x28x8xf32>
    ```
  }];
  let arguments = !con((ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter),
                       convWindows, convDataFormat);
  let results = (outs Tfir_FloatTensor:$output);
}

class Tfir_DepthwiseBackpropOp<string mnemonic, dag operands, list<Trait> traits> :
    Tfir_Op<mnemonic, [Pure, Placeable, SameOperandsElementType] # traits> {
  let arguments = !con(operands, convWindows);
  let results = (outs Tfir_FloatTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = callForm;
  let hasVerifier = 1;
}

def Tfir_DepthwiseConv2DBackpropInputOp :
    Tfir_DepthwiseBackpropOp<"depthwise_conv2d_backprop_input",
        (ins Tfir_FloatTensor:$filter, Tfir_FloatTensor:$out_backprop),
        [DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>,
         DeclareOpInterfaceMethods<Differentiable>]> {
  let summary = "the gradient of a depthwise convolution by its images";
  let description = [{
    - (C1) the shapes are those of a depthwise convolution with these attributes

    Example:

    ```mlir
    %dx = tfir.depthwise_conv2d_backprop_input %f, %dy
        : (tensor<3x3x8x1xf32>, tensor<1x28x28x8xf32>) -> tensor<1x28x28x8xf32>
    ```
  }];
}

def Tfir_DepthwiseConv2DBackpropFilterOp :
    Tfir_DepthwiseBackpropOp<"depthwise_conv2d_backprop_filter",
        (ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$out_backprop),
        [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the gradient of a depthwise convolution by its filter";
  let description = [{
    Is the sum of `tfir.depthwise_filter_partials`.

    - (C1) the shapes are those of a depthwise convolution with these attributes

    Example:

    ```mlir
    %df = tfir.depthwise_conv2d_backprop_filter %x, %dy
        : (tensor<1x28x28x8xf32>, tensor<1x28x28x8xf32>) -> tensor<3x3x8x1xf32>
    ```
  }];
}

def Tfir_DepthwiseFilterPartialsOp :
    Tfir_DepthwiseBackpropOp<"depthwise_filter_partials",
        (ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$out_backprop),
        [DeclareOpInterfaceMethods<Lowerable, ["gathersOperands"]>]> {
  let summary = "the gradient of a depthwise convolution by its filter, by image";
  let description = [{
    The share of each image: the sum along the first dimension is
    `tfir.depthwise_conv2d_backprop_filter`.

    - (C1) the shapes are those of a depthwise convolution with these attributes,
      and the result has one part per image

    Example:

    ```mlir
    %df = tfir.depthwise_filter_partials %x, %dy
        : (tensor<2x28x28x8xf32>, tensor<2x28x28x8xf32>) -> tensor<2x3x3x8x1xf32>
    ```
  }];
}

//===-- Short for others --------------------------------------------------===//

def Tfir_SeparableConv2DOp : Tfir_ComputeOp<"separable_conv2d",
    [SameOperandsElementType,
     DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "a depthwise convolution, then one of single pixels";
  let description = [{
    `tfir.depthwise_conv2d` with strides, padding and dilations, then `tfir.conv2d`
    with `pointwise_filter`.

    - (C1) the pointwise filter is [1, 1, channels * multiplier, out]
    - (C2) images and depthwise filter are as for `tfir.depthwise_conv2d`

    Example:

    ```mlir
    %y = tfir.separable_conv2d %x, %d, %p
        : (tensor<1x28x28x8xf32>, tensor<3x3x8x1xf32>, tensor<1x1x8x16xf32>)
        -> tensor<1x28x28x16xf32>
    ```
  }];
  let arguments = !con((ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$depthwise_filter,
                            Tfir_FloatTensor:$pointwise_filter),
                       convWindows, convDataFormat);
  let results = (outs Tfir_FloatTensor:$output);
}

def Tfir_AtrousConv2DOp : Tfir_ComputeOp<"atrous_conv2d",
    [SameOperandsElementType,
     DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "a convolution whose filter has its elements `rate` pixels apart";
  let description = [{
    `tfir.conv2d` with `dilations` of `rate`.

    - (C1) the rate is at least 1
    - (C2) images, filter and padding are as for `tfir.conv2d`

    Example:

    ```mlir
    %y = tfir.atrous_conv2d %x, %f {rate = 2}
        : (tensor<1x28x28x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x28x28x16xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter,
      I64Attr:$rate,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings);
  let results = (outs Tfir_FloatTensor:$output);
}

// Of one to three spatial dimensions; `conv` is the convolution, whose attributes
// they have.
class Tfir_ConvTransposeOp<string mnemonic, string conv, string images,
                           string filter, string sizes, string formats,
                           string example> :
    Tfir_ComputeOp<mnemonic, [SameOperandsElementType,
                              DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the " # images # " whose convolution has this gradient";
  let description = [{
    What `tfir.}] # conv # [{` with the same attributes has as gradient by its }] #
    images # [{, which are of `output_shape`, where its result has the operand as
    gradient: that result is as large as the operand. The filter is that of the
    convolution, }] # filter # [{. The first number of `output_shape` may be -1: as
    many as the operand has.

    - (C1) output_shape are }] # sizes # [{ sizes >= 1, of which the first may be -1
    - (C2) the shapes are those of a convolution with these attributes
    - (C3) explicit_paddings are less than the filter, with its dilations, is large
    - (C4) data_format is }] # formats # [{

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x, %f
        }] # example # [{
    ```
  }];
  let results = (outs Tfir_FloatTensor:$output);
}

def Tfir_Conv2DTransposeOp : Tfir_ConvTransposeOp<"conv2d_transpose", "conv2d",
    "images", "[height, width, out / groups, in]", "four",
    "\"NHWC\" or \"NCHW\"",
    [{{output_shape = array<i64: 1, 28, 28, 8>, strides = array<i64: 2, 2>}
        : (tensor<1x14x14x16xf32>, tensor<3x3x8x16xf32>) -> tensor<1x28x28x8xf32>}]> {
  let arguments = !con((ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter,
      DenseI64ArrayAttr:$output_shape), convWindows,
      (ins DefaultValuedAttr<I64Attr, "1">:$groups), convDataFormat);
}

def Tfir_Conv1DTransposeOp : Tfir_ConvTransposeOp<"conv1d_transpose", "conv1d",
    "sequences", "[length, out / groups, in]", "three", "\"NWC\" or \"NCW\"",
    [{{output_shape = array<i64: 1, 28, 8>, stride = 2}
        : (tensor<1x14x16xf32>, tensor<3x8x16xf32>) -> tensor<1x28x8xf32>}]> {
  let arguments = (ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter,
      DenseI64ArrayAttr:$output_shape,
      DefaultValuedAttr<I64Attr, "1">:$stride,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<I64Attr, "1">:$dilation,
      DefaultValuedAttr<I64Attr, "1">:$groups,
      DefaultValuedAttr<StrAttr, "\"NWC\"">:$data_format);
}

def Tfir_Conv3DTransposeOp : Tfir_ConvTransposeOp<"conv3d_transpose", "conv3d",
    "volumes", "[depth, height, width, out / groups, in]", "five",
    "\"NDHWC\" or \"NCDHW\"",
    [{{output_shape = array<i64: 1, 8, 28, 28, 2>, strides = array<i64: 2, 2, 2>}
        : (tensor<1x4x14x14x4xf32>, tensor<3x3x3x2x4xf32>) -> tensor<1x8x28x28x2xf32>}]> {
  let arguments = !con((ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter,
      DenseI64ArrayAttr:$output_shape), convVolumes);
}

def Tfir_Conv1DOp : Tfir_ComputeOp<"conv1d",
    [SameOperandsElementType,
     DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "convolution of sequences with filters";
  let description = [{
    `tfir.conv2d` of images of height 1: [batch, length, channels] with a filter
    [length, in, out]. With `data_format` "NCW" sequences are [batch, channels,
    length].

    - (C1) both operands have rank 3, the sequences as many channels as the filter
    - (C2) stride and dilation are >= 1, padding is as for `tfir.conv2d` with two
      explicit_paddings
    - (C3) data_format is "NWC" or "NCW"

    Example:

    ```mlir
    %y = tfir.conv1d %x, %f {stride = 2}
        : (tensor<1x28x8xf32>, tensor<3x8x16xf32>) -> tensor<1x14x16xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter,
      DefaultValuedAttr<I64Attr, "1">:$stride,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<I64Attr, "1">:$dilation,
      DefaultValuedAttr<I64Attr, "1">:$groups,
      DefaultValuedAttr<StrAttr, "\"NWC\"">:$data_format);
  let results = (outs Tfir_FloatTensor:$output);
}

def Tfir_Conv3DOp : Tfir_ComputeOp<"conv3d",
    [SameOperandsElementType,
     DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "convolution of volumes with filters";
  let description = [{
    Volumes are [batch, depth, height, width, channels], filters [depth, height,
    width, in / groups, out]. Is `tfir.conv2d` of the planes of all volumes, each with
    the channels of the planes that the filter meets beside it.

    - (C1) both operands have rank 5, the volumes as many channels as the filter times
      `groups`, which divides the channels of the result
    - (C2) strides and dilations are three numbers >= 1, padding is as for
      `tfir.conv2d` with six explicit_paddings, and the filter fits
    - (C3) data_format is "NDHWC" or "NCDHW"

    Example:

    ```mlir
    %y = tfir.conv3d %x, %f
        : (tensor<1x8x28x28x2xf32>, tensor<3x3x3x2x4xf32>) -> tensor<1x8x28x28x4xf32>
    ```
  }];
  let arguments = !con((ins Tfir_FloatTensor:$input, Tfir_FloatTensor:$filter),
                       convVolumes);
  let results = (outs Tfir_FloatTensor:$output);
}

#endif
