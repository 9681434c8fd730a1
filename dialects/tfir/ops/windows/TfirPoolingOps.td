// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools that are short for others: over whole images, of one and three dimensions,
// by the size of the result, and by norms.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_TFIRPOOLINGOPS
#define GRAPHC_DIALECTS_TFIR_OPS_WINDOWS_TFIRPOOLINGOPS

include "dialects/tfir/TfirBase.td"

class Tfir_GlobalPoolOp<string mnemonic, string text> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = text;
  let description = [{
    Over all spatial dimensions, of which there may be any number: those between the
    first and the last dimension, or all after dimension 1 with a `data_format` of
    "NCHW". With `keep_dims` they stay as dimensions of size 1.

    - (C1) the operand has rank 3 or more
    - (C2) data_format is "NHWC" or "NCHW"

    Example: `%y = tfir.}] # mnemonic # [{ %x : (tensor<2x7x7x8xf32>) -> tensor<2x8xf32>`
  }];
  let arguments = (ins Tfir_FloatTensor:$input, UnitAttr:$keep_dims,
      DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Tfir_FloatTensor:$output);
}
def Tfir_GlobalAvgPoolOp : Tfir_GlobalPoolOp<"global_avg_pool",
    "the mean pixel of each image">;
def Tfir_GlobalMaxPoolOp : Tfir_GlobalPoolOp<"global_max_pool",
    "the largest pixel of each image">;

class Tfir_AdaptivePoolOp<string mnemonic, string text> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = text;
  let description = [{
    The images are cut into `output_size` (height, width) windows of one size.

    - (C1) the operand has rank 4, output_size are two numbers >= 1
    - (C2) output_size divides height and width of the images
    - (C3) data_format is "NHWC" or "NCHW"

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # [{ %x {output_size = array<i64: 7, 7>}
        : (tensor<1x28x28x8xf32>) -> tensor<1x7x7x8xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$input, DenseI64ArrayAttr:$output_size,
      DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Tfir_FloatTensor:$output);
}
def Tfir_AdaptiveAvgPoolOp : Tfir_AdaptivePoolOp<"adaptive_avg_pool",
    "the mean pixel of so many windows">;
def Tfir_AdaptiveMaxPoolOp : Tfir_AdaptivePoolOp<"adaptive_max_pool",
    "the largest pixel of so many windows">;

def Tfir_LpPoolOp : Tfir_ComputeOp<"lp_pool",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "the norm of the pixels of each window";
  let description = [{
    (sum of |x|^p)^(1/p) over windows of `ksize` (height, width), with the padding of
    `tfir.conv2d`: pixels outside of the image are 0. The slope of a norm of 0 is 0.

    - (C1) the operand has rank 4
    - (C2) ksize and strides are two numbers >= 1, the padding is as for
      `tfir.conv2d`, and a window fits into the padded image
    - (C3) p is at least 1
    - (C4) data_format is "NHWC" or "NCHW"

    Example:

    ```mlir
    %y = tfir.lp_pool %x {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : (tensor<1x28x28x8xf32>) -> tensor<1x14x14x8xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$input,
      DenseI64ArrayAttr:$ksize, DenseI64ArrayAttr:$strides,
      DefaultValuedAttr<F64Attr, "2.0">:$p,
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Tfir_FloatTensor:$output);
}

class Tfir_SpatialPoolOp<string mnemonic, string text, string shapes,
                         string example, string formats, string more = ""> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = text;
  let description = [{
    Of }] # shapes # [{, with the padding of `tfir.max_pool`: only what is inside
    counts.

    - (C1) the operand has the rank of }] # shapes # [{
    - (C2) ksize and strides are as many numbers >= 1 as there are spatial
      dimensions, the padding is as for `tfir.max_pool`, and a window fits
    - (C3) data_format is one of }] # formats # more # [{

    Example:

    ```mlir
    %y = tfir.}] # mnemonic # " " # example # [{
    ```
  }];
  let results = (outs Tfir_FloatTensor:$output);
}

defvar poolNorm = (ins DefaultValuedAttr<F64Attr, "2.0">:$p);
defvar poolNormText = "\n    - (C4) p is at least 1";

class Tfir_Pool1DOp<string mnemonic, string text, dag norm = (ins),
                    string more = ""> :
    Tfir_SpatialPoolOp<mnemonic, text, "sequences [batch, length, channels]",
        [{%x {ksize = array<i64: 2>, strides = array<i64: 2>}
        : (tensor<1x28x8xf32>) -> tensor<1x14x8xf32>}], "\"NWC\" and \"NCW\"",
        more> {
  let arguments = !con((ins Tfir_FloatTensor:$input,
      DenseI64ArrayAttr:$ksize, DenseI64ArrayAttr:$strides), norm, (ins
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<StrAttr, "\"NWC\"">:$data_format));
}
def Tfir_MaxPool1DOp : Tfir_Pool1DOp<"max_pool1d",
    "the largest element of each window of a sequence">;
def Tfir_AvgPool1DOp : Tfir_Pool1DOp<"avg_pool1d",
    "the mean element of each window of a sequence">;
def Tfir_LpPool1DOp : Tfir_Pool1DOp<"lp_pool1d",
    "(sum of |x|^p)^(1/p) over each window of a sequence", poolNorm, poolNormText>;

class Tfir_Pool3DOp<string mnemonic, string text, dag norm = (ins),
                    string more = ""> :
    Tfir_SpatialPoolOp<mnemonic, text,
        "volumes [batch, depth, height, width, channels]",
        [{%x {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>}
        : (tensor<1x8x28x28x2xf32>) -> tensor<1x4x14x14x2xf32>}],
        "\"NDHWC\" and \"NCDHW\"", more> {
  let arguments = !con((ins Tfir_FloatTensor:$input,
      DenseI64ArrayAttr:$ksize, DenseI64ArrayAttr:$strides), norm, (ins
      DefaultValuedAttr<StrAttr, "\"SAME\"">:$padding,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$explicit_paddings,
      DefaultValuedAttr<StrAttr, "\"NDHWC\"">:$data_format));
}
def Tfir_MaxPool3DOp : Tfir_Pool3DOp<"max_pool3d",
    "the largest element of each window of a volume">;
def Tfir_AvgPool3DOp : Tfir_Pool3DOp<"avg_pool3d",
    "the mean element of each window of a volume">;
def Tfir_LpPool3DOp : Tfir_Pool3DOp<"lp_pool3d",
    "(sum of |x|^p)^(1/p) over each window of a volume", poolNorm, poolNormText>;

#endif
