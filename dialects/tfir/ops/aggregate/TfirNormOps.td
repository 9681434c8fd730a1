// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations: short for moments and arithmetic. Channels are the last dimension.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRNORMOPS
#define GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRNORMOPS

include "dialects/tfir/TfirBase.td"

class Tfir_NormalizeOp<string mnemonic, dag operands, dag attributes> :
    Tfir_ComputeOp<mnemonic, [DeclareOpInterfaceMethods<Decomposable>]> {
  let arguments = !con((ins Tfir_FloatTensor:$x), operands, attributes);
  let results = (outs Tfir_FloatTensor:$y);
}

def Tfir_MomentsOp : Tfir_ComputeOp<"moments",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "mean and variance of elements";
  let description = [{
    Over the dimensions `axes`, all without it; `keep_dims` keeps them with size 1. The
    variance is the mean of squared differences to the mean.

    - (C1) each axis is in [-rank, rank) and named once

    Example:

    ```mlir
    %mean, %variance = tfir.moments %x {axes = array<i64: 0>}
        : (tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       UnitAttr:$keep_dims);
  let results = (outs Tfir_FloatTensor:$mean, Tfir_FloatTensor:$variance);
}

//===-- Of each example ---------------------------------------------------===//

def Tfir_LayerNormOp : Tfir_NormalizeOp<"layer_norm",
    (ins Tfir_FloatTensor:$scale, Tfir_FloatTensor:$offset),
    (ins DefaultValuedAttr<I64Attr, "-1">:$begin_axis,
         DefaultValuedAttr<F64Attr, "1e-12">:$epsilon)> {
  let summary = "normalised over the last dimensions: Ba et al. 2016";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + offset, with mean and variance over
    the dimensions from `begin_axis` on.

    - (C1) the axis is in [-rank, rank)
    - (C2) `scale` and `offset` have the element type of `x` and the shape of these
      dimensions
    - (C3) epsilon >= 0

    Example:

    ```mlir
    %y = tfir.layer_norm %x, %scale, %offset
        : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
}

def Tfir_RmsNormOp : Tfir_NormalizeOp<"rms_norm", (ins Tfir_FloatTensor:$scale),
    (ins DefaultValuedAttr<I64Attr, "-1">:$begin_axis,
         DefaultValuedAttr<F64Attr, "1e-6">:$epsilon)> {
  let summary = "divided by the root mean square of the last dimensions: "
                "Zhang and Sennrich 2019";
  let description = [{
    x / sqrt(mean(x * x) + epsilon) * scale, with the mean over the dimensions from
    `begin_axis` on.

    - (C1) the axis is in [-rank, rank)
    - (C2) `scale` has the element type of `x` and the shape of these dimensions
    - (C3) epsilon >= 0

    Example:

    ```mlir
    %y = tfir.rms_norm %x, %scale : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
}

def Tfir_GroupNormOp : Tfir_NormalizeOp<"group_norm",
    (ins Tfir_FloatTensor:$scale, Tfir_FloatTensor:$offset),
    (ins DefaultValuedAttr<I64Attr, "32">:$groups,
         DefaultValuedAttr<F64Attr, "1e-6">:$epsilon)> {
  let summary = "normalised over groups of channels: Wu and He 2018";
  let description = [{
    Neighbouring channels of an example are a group; mean and variance are over all of
    its places and channels.

    - (C1) `x` has at least 2 dimensions, of which the last is divisible by `groups`
    - (C2) `scale` and `offset` have the element type of `x` and one element per channel
    - (C3) epsilon >= 0

    Example:

    ```mlir
    %y = tfir.group_norm %x, %scale, %offset {groups = 2 : i64}
        : (tensor<1x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x5x5x4xf32>
    ```
  }];
}

def Tfir_InstanceNormOp : Tfir_NormalizeOp<"instance_norm",
    (ins Tfir_FloatTensor:$scale, Tfir_FloatTensor:$offset),
    (ins DefaultValuedAttr<F64Attr, "1e-6">:$epsilon)> {
  let summary = "normalised over the places of each channel: Ulyanov et al. 2016";
  let description = [{
    Mean and variance are over all dimensions but the first and the last.

    - (C1) `x` has at least 3 dimensions
    - (C2) `scale` and `offset` have the element type of `x` and one element per channel
    - (C3) epsilon >= 0

    Example:

    ```mlir
    %y = tfir.instance_norm %x, %scale, %offset
        : (tensor<1x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x5x5x4xf32>
    ```
  }];
}

//===-- Of a batch --------------------------------------------------------===//

def Tfir_FusedBatchNormOp : Tfir_ComputeOp<"fused_batch_norm",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "normalised over the batch, for training: Ioffe and Szegedy 2015";
  let description = [{
    (x - mean) / sqrt(variance + epsilon) * scale + offset, with mean and variance over
    all dimensions but the last. The other results are for moving averages, which
    `tfir.batch_normalization` takes for inference: the mean, and the variance times
    n / (n - 1) for n examples of each channel (Bessel's correction). In a text:

    ```
    y, mean, variance = fused_batch_norm(x, scale, offset)
    moving_mean -= (moving_mean - mean) * 0.01
    moving_variance -= (moving_variance - variance) * 0.01
    ```

    - (C1) `x` has at least 2 dimensions
    - (C2) `scale` and `offset` have the element type of `x` and one element per channel
    - (C3) epsilon >= 0

    Example:

    ```mlir
    %y, %mean, %variance = tfir.fused_batch_norm %x, %scale, %offset
        : (tensor<8x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> (tensor<8x5x5x4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x, Tfir_FloatTensor:$scale,
                       Tfir_FloatTensor:$offset,
                       DefaultValuedAttr<F64Attr, "0.001">:$epsilon);
  let results = (outs Tfir_FloatTensor:$y, Tfir_FloatTensor:$batch_mean,
                      Tfir_FloatTensor:$batch_variance);
}

def Tfir_BatchNormalizationOp : Tfir_NormalizeOp<"batch_normalization",
    (ins Tfir_FloatTensor:$mean, Tfir_FloatTensor:$variance,
         Tfir_FloatTensor:$offset, Tfir_FloatTensor:$scale),
    (ins DefaultValuedAttr<F64Attr, "0.001">:$variance_epsilon)> {
  let summary = "normalised with a mean and a variance that are given";
  let description = [{
    (x - mean) / sqrt(variance + variance_epsilon) * scale + offset: inference with the
    moving averages of `tfir.fused_batch_norm`, or moments of other dimensions.

    - (C1) the others have the element type of `x` and broadcast to its shape
    - (C2) variance_epsilon >= 0

    Example:

    ```mlir
    %y = tfir.batch_normalization %x, %mean, %variance, %offset, %scale
        : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> tensor<8x4xf32>
    ```
  }];
}

def Tfir_LrnOp : Tfir_ComputeOp<"lrn",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "local response normalisation: Krizhevsky et al. 2012";
  let description = [{
    x / (bias + alpha * s) to the power of beta, where s is the sum of squares of the
    channels up to `depth_radius` away, at the same place.

    - (C1) `x` has at least 1 dimension
    - (C2) depth_radius is from 0 to 2^30

    Example:

    ```mlir
    %y = tfir.lrn %x {alpha = 1.0e-4 : f64, beta = 0.75 : f64, depth_radius = 2 : i64}
        : (tensor<8x5x5x16xf32>) -> tensor<8x5x5x16xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$x,
                       DefaultValuedAttr<I64Attr, "5">:$depth_radius,
                       DefaultValuedAttr<F64Attr, "1.0">:$bias,
                       DefaultValuedAttr<F64Attr, "1.0">:$alpha,
                       DefaultValuedAttr<F64Attr, "0.5">:$beta);
  let results = (outs Tfir_FloatTensor:$y);
}

#endif
