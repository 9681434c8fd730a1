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

def WidenHalvesPass : Pass<"tfir-widen-halves", "::mlir::ModuleOp"> {
  let summary = "computes with floats of 16 bits as f32";
  let description = [{
    The operands of f16 and bf16 of each op that computes something are cast to f32,
    and its results back. Casts and ops that only move elements stay as they are. Runs
    twice: before gradients, which are then those of f32 ops, and before kernels, after
    tfir-mix-precision.

    Example:

    ```mlir
    %z = tfir.neg %x {name = "z"} : (tensor<4xbf16>) -> tensor<4xbf16>
    ```

    becomes

    ```mlir
    %0 = tfir.cast %x {name = "z/Cast"} : (tensor<4xbf16>) -> tensor<4xf32>
    %1 = tfir.neg %0 {name = "z"} : (tensor<4xf32>) -> tensor<4xf32>
    %z = tfir.cast %1 {name = "z/Cast_1"} : (tensor<4xf32>) -> tensor<4xbf16>
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

def PlanStagesPass : Pass<"tfir-plan-stages", "::mlir::ModuleOp"> {
  let summary = "divides the graph of a pipeline into stages";
  let description = [{
    Each op of a graph with `tfir.pipeline` that depends on the examples gets a
    stage and requests its device, a variable that of the stage that reads it
    first. Where an op asks for a device of the pipeline by hand, stages are what
    is asked for; otherwise the ops are cut, in the order of the text, where the
    slowest stage is fastest by the table of speeds. Gradients then follow by
    themselves. Ops of other graphs go where the variables are that they read.
    Values that go back to an earlier stage are errors. Relies on static shapes and
    tfir-decompose.

    Example: with the devices `cpu:0-1` and `pipeline=2`,

    ```mlir
    %y = tfir.matmul %h, %w2 : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    ```

    becomes

    ```mlir
    %y = tfir.matmul %h, %w2
        {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:1">,
         tfir.slot = 1 : i64} : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    ```
  }];
  let options = [
    Option<"costs", "costs", "std::string", /*default=*/"",
           "JSON file of speeds of devices and links">];
}

def DifferentiatePass : Pass<"tfir-differentiate", "::mlir::ModuleOp"> {
  let summary = "expands tfir.gradients, tfir.minimize and tfir.ema";
  let description = [{
    By reverse accumulation: each differentiable op builds the gradients of its
    operands, and those of a value that is used twice are added. Gradients of ops of a
    `tfir.recompute` take their values from copies of these ops, which begin behind
    `tfir.optimization_barrier`; a `tfir.custom_gradient` gives what its body does, and is
    its values from then on. `tfir.minimize`
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
