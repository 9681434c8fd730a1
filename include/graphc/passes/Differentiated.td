// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase differentiated, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_DIFFERENTIATED
#define GRAPHC_PASSES_DIFFERENTIATED

include "include/graphc/passes/PassBase.td"

def ResolveAveragesPass : Pass<"tfir-resolve-averages", "::mlir::ModuleOp"> {
  let summary = "declares the variables that hold moving averages";
  let description = [{
    For each trainable variable that a graph with `tfir.ema` reads, and points
    `tfir.read ... average` at them. Relies on device scopes being flat.

    Example:

    ```mlir
    tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
    %a = tfir.read @w average : tensor<f32>
    ```

    becomes

    ```mlir
    tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
    tfir.variable @"w/ExponentialMovingAverage" : tensor<f32> = #tfir.fill<1.0>
        {colocate_with = "w", trainable = false}
    %a = tfir.read @"w/ExponentialMovingAverage" : tensor<f32>
    ```
  }];
}

def DecomposePass : Pass<"tfir-decompose", "::mlir::ModuleOp"> {
  let summary = "expands ops that are short for others";
  let description = [{
    Until none is left. The new ops are named below the old one and have its
    device.

    Example:

    ```mlir
    %y = tfir.bias_add %x, %b {name = "bias"}
        : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```

    becomes

    ```mlir
    %y = tfir.add %x, %b {name = "bias/Add"}
        : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    ```
  }];
}

def DifferentiatePass : Pass<"tfir-differentiate", "::mlir::ModuleOp"> {
  let summary = "expands tfir.gradients, tfir.minimize and tfir.ema";
  let description = [{
    By reverse accumulation: each differentiable op builds the gradients of its
    operands, and those of a value that is used twice are added. `tfir.minimize`
    ends in one `tfir.apply` for each variable and one more `global_step`;
    `tfir.ema` in one `tfir.update_average` for each of them at the graph's end.
    The optimizer's slots, `global_step` and, for Adam, the powers of beta become
    variables. Relies on flat device scopes, static shapes and
    tfir-decompose.

    Example:

    ```mlir
    tfir.minimize %loss using #tfir.sgd<learning_rate = 0.01>
    ```

    becomes, when the loss is the square of `%w`,

    ```mlir
    %two = tfir.const dense<2.0> : tensor<f32>
    %g = tfir.mul %two, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %rate = tfir.const dense<0.01> : tensor<f32>
    tfir.apply @w, %g, %rate : tensor<f32> using #tfir.sgd<learning_rate = 0.01>
    %one = tfir.const dense<1> : tensor<i64>
    tfir.assign_add @global_step, %one : tensor<i64>
    ```
  }];
}

#endif
