// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of images in other sizes, and their colours. Images are NHWC, or HWC.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_IMAGES_TFIRIMAGEOPS
#define GRAPHC_DIALECTS_TFIR_OPS_IMAGES_TFIRIMAGEOPS

include "dialects/tfir/TfirBase.td"

class Tfir_ImageOp<string mnemonic> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]>;

def Tfir_CropAndResizeOp : Tfir_ImageOp<"crop_and_resize"> {
  let summary = "boxes of images, each in the same size";
  let description = [{
    `tf.image.crop_and_resize`: box i, (y1, x1, y2, x2), is of image `box_ind[i]`. 0 and 1
    are the first and the last pixel, so that a row i of `crop_size[0]` is at
    `y1 * (h - 1) + i * (y2 - y1) * (h - 1) / (crop_size[0] - 1)`, and the centre of the
    box where there is one row only; y1 above y2 turns the crop upside down. Places
    outside of the image have `extrapolation_value`; so have boxes of images that are not
    there, at places that are NaN likewise. `method` is "bilinear" or "nearest".

    The gradient of the images is that of TensorFlow; that of the boxes is of what they
    are in the bilinear formula, as there.

    - (C1) the images have four dimensions, NHWC
    - (C2) there are four numbers for each box, and one image
    - (C3) `crop_size` is two numbers from 1
    - (C4) the method is "bilinear" or "nearest"

    Example:

    ```mlir
    %y = tfir.crop_and_resize %x, %boxes, %i {crop_size = array<i64: 14, 14>}
        : (tensor<2x28x28x3xf32>, tensor<5x4xf32>, tensor<5xi32>)
        -> tensor<5x14x14x3xf32>
    ```
  }];
  let arguments = (ins Tfir_F32Tensor:$image, Tfir_F32Tensor:$boxes,
                       RankedTensorOf<[I32]>:$box_ind,
                       DenseI64ArrayAttr:$crop_size,
                       DefaultValuedAttr<StrAttr, "\"bilinear\"">:$method,
                       DefaultValuedAttr<F64Attr, "0.0">:$extrapolation_value);
  let results = (outs Tfir_F32Tensor:$y);
}

def Tfir_GrayscaleToRgbOp : Tfir_ImageOp<"grayscale_to_rgb"> {
  let summary = "grey pixels as equal red, green and blue";
  let description = [{
    - (C1) the last dimension has the size 1

    Example: `%y = tfir.grayscale_to_rgb %x : (tensor<4x6x1xui8>) -> tensor<4x6x3xui8>`
  }];
  let arguments = (ins Tfir_NumberTensor:$x);
  let results = (outs Tfir_NumberTensor:$y);
}

def Tfir_AdjustBrightnessOp : Tfir_ImageOp<"adjust_brightness"> {
  let summary = "images with a number added to each pixel";
  let description = [{
    Of floats, as a `tfir.cast` of bytes makes them: nothing is clipped.

    Example: `%y = tfir.adjust_brightness %x {delta = 0.1} : (tensor<4x6x3xf32>) -> tensor<4x6x3xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$x, F64Attr:$delta);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_AdjustContrastOp : Tfir_ImageOp<"adjust_contrast"> {
  let summary = "images with pixels further from their mean, or closer to it";
  let description = [{
    `(x - mean) * contrast_factor + mean`, with the mean of each channel of each image.
    Nothing is clipped.

    - (C1) the operand has three dimensions, HWC, or more before them

    Example:

    ```mlir
    %y = tfir.adjust_contrast %x {contrast_factor = 2.0}
        : (tensor<4x6x3xf32>) -> tensor<4x6x3xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, F64Attr:$contrast_factor);
  let results = (outs Tfir_FloatTensor:$y);
}

#endif
