// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on images, blocks of pixels and sequences. Images are NHWC, or HWC.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRSPATIALOPS
#define GRAPHC_DIALECTS_TFIR_OPS_ARRANGE_TFIRSPATIALOPS

include "dialects/tfir/TfirBase.td"

class Tfir_SpatialOp<string mnemonic, list<Trait> traits = []> :
    Tfir_ComputeOp<mnemonic,
        [DeclareOpInterfaceMethods<Decomposable>] # traits>;

//===-- Blocks of pixels --------------------------------------------------===//

def Tfir_SpaceToDepthOp : Tfir_SpatialOp<"space_to_depth"> {
  let summary = "squares of pixels as channels of one pixel";
  let description = [{
    Channel `(i * block_size + j) * channels + c` of a pixel is channel c of the pixel
    at row i, column j of its square.

    - (C1) the operand has four dimensions, NHWC
    - (C2) block_size >= 1 divides height and width

    Example: `%y = tfir.space_to_depth %x {block_size = 2 : i64} : (tensor<1x4x6x3xf32>) -> tensor<1x2x3x12xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x, I64Attr:$block_size);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_DepthToSpaceOp : Tfir_SpatialOp<"depth_to_space"> {
  let summary = "channels of one pixel as squares of pixels";
  let description = [{
    The inverse of `tfir.space_to_depth`.

    - (C1) the operand has four dimensions, NHWC
    - (C2) the square of block_size >= 1 divides the channels

    Example: `%y = tfir.depth_to_space %x {block_size = 2 : i64} : (tensor<1x2x3x12xf32>) -> tensor<1x4x6x3xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x, I64Attr:$block_size);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_SpaceToBatchOp : Tfir_SpatialOp<"space_to_batch"> {
  let summary = "places within blocks as examples of a batch";
  let description = [{
    `space_to_batch_nd`: the dimensions after the first, as many as `block_shape` has,
    are padded with zeros by `paddings`, two numbers for each, and divided into blocks
    of that shape. Example `p * batch + n` of the result has of example n the element
    at place p of each block.

    - (C1) the operand has a dimension for the batch and one for each of `block_shape`
    - (C2) each is 1 at least, with two paddings, none negative
    - (C3) blocks divide the padded dimensions

    Example:

    ```mlir
    %y = tfir.space_to_batch %x {block_shape = array<i64: 2, 2>,
                                 paddings = array<i64: 0, 0, 1, 1>}
        : (tensor<1x4x4x3xf32>) -> tensor<4x2x3x3xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, DenseI64ArrayAttr:$block_shape,
                       DenseI64ArrayAttr:$paddings);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_BatchToSpaceOp : Tfir_SpatialOp<"batch_to_space"> {
  let summary = "examples of a batch as places within blocks";
  let description = [{
    `batch_to_space_nd`, the inverse of `tfir.space_to_batch`; `crops` are left out at
    the begin and the end of each dimension.

    - (C1) the operand has a dimension for the batch and one for each of `block_shape`
    - (C2) each is 1 at least, with two crops, none negative
    - (C3) the product of `block_shape` divides the batch, and the crops are no more
      than there is

    Example:

    ```mlir
    %y = tfir.batch_to_space %x {block_shape = array<i64: 2, 2>,
                                 crops = array<i64: 0, 0, 1, 1>}
        : (tensor<4x2x3x3xf32>) -> tensor<1x4x4x3xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, DenseI64ArrayAttr:$block_shape,
                       DenseI64ArrayAttr:$crops);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_ExtractPatchesOp : Tfir_SpatialOp<"extract_patches"> {
  let summary = "the pixels of each window of a convolution as channels";
  let description = [{
    `extract_image_patches`. Channel `(i * kernel width + j) * channels + c` is channel
    c of the pixel at row i, column j of the window; `rates` are the distances of its
    pixels, 1 without it. Pixels outside of the image are 0.

    - (C1) the operand has four dimensions, NHWC
    - (C2) ksizes, strides and rates are two positive numbers each
    - (C3) padding is "SAME" or "VALID"

    Example:

    ```mlir
    %y = tfir.extract_patches %x {ksizes = array<i64: 3, 3>, strides = array<i64: 1, 1>,
                                  padding = "VALID"}
        : (tensor<1x5x5x2xf32>) -> tensor<1x3x3x18xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, DenseI64ArrayAttr:$ksizes,
                       DenseI64ArrayAttr:$strides,
                       OptionalAttr<DenseI64ArrayAttr>:$rates,
                       DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding);
  let results = (outs Tfir_NumberTensor:$y);
}

//===-- Images ------------------------------------------------------------===//

class Tfir_FlipOp<string mnemonic, string what> : Tfir_SpatialOp<mnemonic> {
  let summary = "images with their " # what # " in the opposite order";
  let description = "- (C1) the operand has three dimensions, HWC, or four, NHWC\n\n"
      "Example: `%y = tfir." # mnemonic #
      " %x : (tensor<4x6x3xui8>) -> tensor<4x6x3xui8>`";
  let arguments = (ins Tfir_NumberOrBoolTensor:$x);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

def Tfir_FlipLeftRightOp : Tfir_FlipOp<"flip_left_right", "columns">;
def Tfir_FlipUpDownOp : Tfir_FlipOp<"flip_up_down", "rows">;

def Tfir_RgbToGrayscaleOp : Tfir_SpatialOp<"rgb_to_grayscale"> {
  let summary = "the brightness of pixels";
  let description = [{
    `0.2989 * red + 0.587 * green + 0.114 * blue`, along the last dimension, which
    keeps the size 1. Bytes are computed as floats from 0 to 1, and rounded down after
    multiplication by 255.5.

    - (C1) floats or ui8
    - (C2) the last dimension has the size 3

    Example: `%y = tfir.rgb_to_grayscale %x : (tensor<4x6x3xf32>) -> tensor<4x6x1xf32>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_ResampleOp : Tfir_ComputeOp<"resample", [
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "sums of neighbours along a dimension, by a table";
  let description = [{
    Place i of dimension `axis` of the result is the sum over k of `weights[i, k]`
    times place `starts[i] + k` of the operand. A weight of 0 reads nothing; places
    outside of the dimension are the nearest inside. What resizing is made of: its
    gradient is the same with the transposed table, and needs tables that are
    constants.

    - (C1) the axis is in [-rank, rank), and the dimension is not empty
    - (C2) as many starts as rows of weights
    - (C3) 1 to 32 weights in a row, of the operand's element type

    Example:

    ```mlir
    %y = tfir.resample %x, %w, %s {axis = 1 : i64}
        : (tensor<1x4x6x3xf32>, tensor<8x2xf32>, tensor<8xi32>) -> tensor<1x8x6x3xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberTensor:$x, Tfir_NumberTensor:$weights,
                       RankedTensorOf<[I32]>:$starts, I64Attr:$axis);
  let results = (outs Tfir_NumberTensor:$y);
}

defvar resizeConstraints = [{
    `size` is the height and the width. `align_corners` lets the outermost pixels
    meet, `half_pixel_centers` puts the places of pixels in their middle.

    - (C1) the operand has three dimensions, HWC, or four, NHWC, and pixels
    - (C2) the size is two positive numbers
    - (C3) not both of align_corners and half_pixel_centers
}];

class Tfir_ResizeOp<string mnemonic, string how, Constraint from,
                    Constraint to, string more = ""> :
    Tfir_SpatialOp<mnemonic> {
  let summary = "images of another size, " # how;
  let description = more # resizeConstraints # "\nExample:\n\n```mlir\n%y = tfir." # mnemonic #
      " %x {size = array<i64: 8, 8>}\n    : (tensor<1x4x6x3xf32>) -> tensor<1x8x8x3xf32>\n```";
  let arguments = (ins from:$images, DenseI64ArrayAttr:$size,
                       UnitAttr:$align_corners, UnitAttr:$half_pixel_centers);
  let results = (outs to:$y);
}

def Tfir_ResizeNearestOp : Tfir_ResizeOp<"resize_nearest",
    "each pixel the nearest", Tfir_NumberTensor, Tfir_NumberTensor>;
def Tfir_ResizeBilinearOp : Tfir_ResizeOp<"resize_bilinear",
    "each pixel between its four neighbours", Tfir_NumberTensor, Tfir_FloatTensor,
    "The result is f32, of f64 f64.\n">;
def Tfir_ResizeBicubicOp : Tfir_ResizeOp<"resize_bicubic",
    "each pixel by cubics through sixteen neighbours", Tfir_NumberTensor, Tfir_FloatTensor,
    [{The result is f32, of f64 f64. With `half_pixel_centers` Keys' cubic (a = -1/2)
    of the pixels that are there, otherwise a = -3/4 and the outermost pixels repeated,
    as TensorFlow has them, whose tables of 1,024 steps are not copied.
}]>;

//===-- Sequences ---------------------------------------------------------===//

def Tfir_ReverseSequenceOp : Tfir_ComputeOp<"reverse_sequence", [
    DeclareOpInterfaceMethods<Differentiable>,
    DeclareOpInterfaceMethods<Lowerable, ["gathersOperands", "keepsRows"]>]> {
  let summary = "the first elements of each sequence in the opposite order";
  let description = [{
    Of place n of dimension `batch_axis`, the first `seq_lengths[n]` places of
    `seq_axis` are turned around, the others stay. A length beyond the dimension
    counts as its size.

    - (C1) the axes are in [-rank, rank) and differ
    - (C2) a length for each place of `batch_axis`

    Example:

    ```mlir
    %y = tfir.reverse_sequence %x, %n {seq_axis = 1 : i64}
        : (tensor<2x5x3xf32>, tensor<2xi32>) -> tensor<2x5x3xf32>
    ```
  }];
  let arguments = (ins Tfir_NumberOrBoolTensor:$x, Tfir_IntTensor:$seq_lengths,
                       I64Attr:$seq_axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_axis);
  let results = (outs Tfir_NumberOrBoolTensor:$y);
}

#endif
