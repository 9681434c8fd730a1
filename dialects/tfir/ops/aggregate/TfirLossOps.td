// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses and what metrics are made of: short for arithmetic and reductions.
#ifndef GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRLOSSOPS
#define GRAPHC_DIALECTS_TFIR_OPS_AGGREGATE_TFIRLOSSOPS

include "dialects/tfir/TfirBase.td"

//===-- Element by element ------------------------------------------------===//

def Tfir_SigmoidXentOp : Tfir_ComputeOp<"sigmoid_cross_entropy_with_logits",
    [SameOperandsElementType, DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "cross entropy of sigmoid(logits) with probabilities";
  let description = [{
    max(x, 0) - x * z + log(1 + exp(-|x|)) for a logit x and a label z: one loss per
    element.

    - (C1) both operands have the same shape

    Example:

    ```mlir
    %loss = tfir.sigmoid_cross_entropy_with_logits %logits, %labels
        : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$logits, Tfir_FloatTensor:$labels);
  let results = (outs Tfir_FloatTensor:$loss);
}

def Tfir_WeightedXentOp : Tfir_ComputeOp<"weighted_cross_entropy_with_logits",
    [SameOperandsElementType, DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "cross entropy of sigmoid(logits), with a weight of what is there";
  let description = [{
    (1 - z) * x + (1 + (pos_weight - 1) * z) * softplus(-x) for a logit x and a label z:
    as `tfir.sigmoid_cross_entropy_with_logits`, with the errors of positive examples
    times `pos_weight`.

    - (C1) logits and labels have the same shape
    - (C2) `pos_weight` broadcasts to it

    Example:

    ```mlir
    %loss = tfir.weighted_cross_entropy_with_logits %logits, %labels, %weight
        : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$logits, Tfir_FloatTensor:$labels,
                       Tfir_FloatTensor:$pos_weight);
  let results = (outs Tfir_FloatTensor:$loss);
}

def Tfir_LogPoissonLossOp : Tfir_ComputeOp<"log_poisson_loss",
    [SameOperandsElementType, DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "-log likelihood of counts, given the logarithm of their rate";
  let description = [{
    exp(c) - z * c for a log rate c and a count z. With `compute_full_loss`, Stirling's
    z * log(z) - z + log(2 * pi * z) / 2 of counts above 1 is added.

    - (C1) both operands have the same shape

    Example:

    ```mlir
    %loss = tfir.log_poisson_loss %targets, %log_input
        : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$targets, Tfir_FloatTensor:$log_input,
                       UnitAttr:$compute_full_loss);
  let results = (outs Tfir_FloatTensor:$loss);
}

//===-- Weighted and reduced ----------------------------------------------===//

def Tfir_WeightedLossOp : Tfir_ComputeOp<"compute_weighted_loss",
    [SameOperandsElementType, DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "losses times weights, as one number";
  let description = [{
    Without `weights` all are 1. `reduction` is

    - `"none"`: a loss for each element
    - `"sum"`: their sum
    - `"sum_over_batch_size"`: the sum, divided by the number of losses
    - `"sum_by_nonzero_weights"`: the sum, divided by how many losses have a weight other
      than 0
    - `"mean"`: the sum, divided by the sum of the weights

    What would be divided by 0 is 0.

    - (C1) `reduction` is one of these
    - (C2) the weights broadcast to the losses

    Example:

    ```mlir
    %loss = tfir.compute_weighted_loss %losses, %weights
        : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$losses, Optional<Tfir_FloatTensor>:$weights,
      DefaultValuedAttr<StrAttr, "\"sum_by_nonzero_weights\"">:$reduction);
  let results = (outs Tfir_FloatTensor:$loss);
}

// A loss per element, reduced as by compute_weighted_loss.
class Tfir_LossOp<string mnemonic, string formula, dag attributes = (ins),
                  string more = "", string constraint = ""> :
    Tfir_ComputeOp<mnemonic, [SameOperandsElementType,
                              DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = formula;
  let description = [{
    For a label z and a prediction p. }] # more # [{ `weights` and `reduction` are those
    of `tfir.compute_weighted_loss`.

    - (C1) labels and predictions have the same shape
    - (C2) the weights broadcast to the losses, and the reduction is one that there is
    }] # constraint # [{

    Example:

    ```mlir
    %loss = tfir.}] # mnemonic # [{ %labels, %predictions
        : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<f32>
    ```
  }];
  let arguments = !con((ins Tfir_FloatTensor:$labels, Tfir_FloatTensor:$predictions,
      Optional<Tfir_FloatTensor>:$weights), attributes, (ins
      DefaultValuedAttr<StrAttr, "\"sum_by_nonzero_weights\"">:$reduction));
  let results = (outs Tfir_FloatTensor:$loss);
}

def Tfir_AbsoluteDifferenceOp : Tfir_LossOp<"absolute_difference", "|p - z|">;
def Tfir_MeanSquaredErrorOp :
    Tfir_LossOp<"mean_squared_error", "(p - z) * (p - z)">;
def Tfir_HuberLossOp : Tfir_LossOp<"huber_loss",
    "half the square of a small difference, linear beyond `delta`: Huber 1964",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$delta),
    "(p - z)^2 / 2 up to |p - z| = delta, delta * (|p - z| - delta / 2) beyond.",
    "- (C3) delta > 0">;
def Tfir_SmoothL1LossOp : Tfir_LossOp<"smooth_l1_loss",
    "the size of a difference, squared where it is below `beta`: Girshick 2015",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$beta),
    "(p - z)^2 / (2 * beta) up to |p - z| = beta, |p - z| - beta / 2 beyond.",
    "- (C3) beta > 0">;
def Tfir_LogLossOp : Tfir_LossOp<"log_loss",
    "-z * log(p + epsilon) - (1 - z) * log(1 - p + epsilon)",
    (ins DefaultValuedAttr<F64Attr, "1e-7">:$epsilon)>;
def Tfir_HingeLossOp : Tfir_LossOp<"hinge_loss",
    "max(0, 1 - (2 * z - 1) * p) for labels 0 and 1">;
def Tfir_SquaredHingeLossOp : Tfir_LossOp<"squared_hinge_loss",
    "the square of max(0, 1 - (2 * z - 1) * p) for labels 0 and 1">;
def Tfir_PoissonLossOp : Tfir_LossOp<"poisson_loss",
    "p - z * log(p + epsilon)", (ins DefaultValuedAttr<F64Attr, "1e-7">:$epsilon)>;
def Tfir_KlDivergenceOp : Tfir_LossOp<"kl_divergence",
    "the sum along the last dimension of z * log(z / p)",
    (ins DefaultValuedAttr<F64Attr, "1e-7">:$epsilon),
    "Both are first clipped to [epsilon, 1]. There is a loss per row.">;
def Tfir_CosineDistanceOp : Tfir_LossOp<"cosine_distance",
    "1 - the sum along an axis of z * p",
    (ins DefaultValuedAttr<I64Attr, "-1">:$axis),
    "Both should be normalised, as by `tfir.l2_normalize`; the losses keep the axis "
    "with size 1, an axis that must exist (C1).">;

//===-- Metrics -----------------------------------------------------------===//

def Tfir_InTopKOp : Tfir_ComputeOp<"in_top_k",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "true where the right class is among the k most likely ones";
  let description = [{
    Fewer than k classes have a larger prediction; so all that are tied with the k-th
    count. False where the target is no class, or its prediction is infinite or NaN.
    `mean(cast(in_top_k(x, labels, 1), f32))` is the accuracy.

    - (C1) `predictions` is a matrix, `targets` has one integer for each of its rows
    - (C2) k >= 1

    Example:

    ```mlir
    %hit = tfir.in_top_k %predictions, %targets {k = 5}
        : (tensor<8x10xf32>, tensor<8xi32>) -> tensor<8xi1>
    ```
  }];
  let arguments = (ins Tfir_FloatTensor:$predictions, Tfir_IntTensor:$targets,
                       I64Attr:$k);
  let results = (outs Tfir_BoolTensor:$hit);
}

def Tfir_BincountOp : Tfir_ComputeOp<"bincount",
    [DeclareOpInterfaceMethods<Decomposable>]> {
  let summary = "how often each number from 0 on is there";
  let description = [{
    Numbers outside [0, size) are not counted. Each is compared with each of the sizes:
    the time grows with both.

    - (C1) size is from 1 to 2^31 - 1

    Example: `%n = tfir.bincount %x {size = 10} : (tensor<8x4xi32>) -> tensor<10xi32>`
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$x, I64Attr:$size);
  let results = (outs RankedTensorOf<[I32]>:$counts);
}

#endif
