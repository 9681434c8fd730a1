// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase replicated, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_REPLICATED
#define GRAPHC_PASSES_REPLICATED

include "include/graphc/passes/PassBase.td"

def CheckRequestsPass : Pass<"tfir-check-requests", "::mlir::ModuleOp"> {
  let summary = "checks that the devices exist that are requested";
  let description = [{
    Of all ops and variables, also of those that no later phase sees, since nothing
    uses them or since they refer to a variable as others do. A name that no device
    has is an error; with `soft` type and id need not exist.

    Example: with the devices `gpu:0`,

    ```mlir
    %y = tfir.neg %x {device = #tfir.device<"/device:GPU:7">}
        : (tensor<2xf32>) -> tensor<2xf32>
    ```

    is an error, even if nothing uses `%y`.
  }];
  let options = [
    Option<"soft", "soft", "bool", /*default=*/"false",
           "Type and id of requests need not exist">];
}

def ReplicatePass : Pass<"tfir-replicate", "::mlir::ModuleOp"> {
  let summary = "makes towers";
  let description = [{
    In a graph with `replicas`, what depends on the examples is cloned under
    `tower_i/`, gradients are averaged and applied once; with `shard-updates` each
    device applies its rows of them.

    Example: see docs/replication.md.
  }];
  let options = [
    Option<"variables", "variable-device", "::graphc::VariableHome",
           /*default=*/"::graphc::VariableHome()",
           "Device of the variables, or mirrored; empty: cpu:0, or mirrored "
           "where reduce needs it">,
    ChoiceOption<"reduce", "reduce", "Reduce", "Auto",
                 "As graphc --reduce takes it">,
    ChoiceOption<"feeds", "feeds", "FeedMode", "Split",
                 "As graphc --feeds takes it">,
    Option<"canonical", "canonical", "bool", /*default=*/"false",
           "Add in an order that follows from the number of towers alone">,
    Option<"shards", "shard-updates", "bool", /*default=*/"false",
           "Each device updates its rows of variables alone">];
}

def MakeInstancesPass : Pass<"tfir-make-instances", "::mlir::ModuleOp"> {
  let summary = "gives every worker its own copy of a graph";
  let description = [{
    Makes of each graph that computes something one copy per worker, `NAME@0` and
    so on, whose steps are independent of those of other workers. With
    coordination=quorum, gradients are added up, and a graph `NAME@apply` applies
    their mean. Runs in place of tfir-replicate.

    Example: with two workers,

    ```mlir
    tfir.graph @train() -> (loss: tensor<f32>) { ... }
    ```

    becomes

    ```mlir
    tfir.graph @"train@0"() -> (loss: tensor<f32>)
        attributes {instance = #tfir.instance<of = "train", worker = 0,
                    workers = 2, coordination = async>} { ... }
    tfir.graph @"train@1"() ...
    ```
  }];
  let options = [
    ChoiceOption<"coordination", "coordination", "Coordination", "Async",
                 "Updates of each worker by itself, or of several together: "
                 "async or quorum">,
    Option<"quorum", "quorum", "int64_t", /*default=*/"0",
           "Gradients that make an update together">,
    Option<"staleness", "staleness", "int64_t", /*default=*/"-1",
           "The most updates of others between a worker's read and its update; "
           "-1: any number">,
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Workers; 0: one per device of the best kind">];
}

def ExpandStatePass : Pass<"tfir-expand-state", "::mlir::ModuleOp"> {
  let summary = "makes the graph init and writes updates as arithmetic";
  let description = [{
    `init` assigns each variable its initial value, and the same value to its
    moving average. `G/reset` does so to the transient variables that the graph `G`
    updates; its fetches are those of `G` that follow from these variables alone.
    `tfir.apply`, `tfir.update_average`, `tfir.assign_add` and
    `tfir.assign_sub` become reads, elementwise ops and `tfir.assign`,
    `tfir.assign_rows` a read, `tfir.scatter_update` or its like, and an
    assignment. Where the
    gradient is a sum of rows of a table (tfir.unsorted_segment_sum) and the
    optimizer moves no row without one, only these rows are updated: tfir.unique,
    tfir.gather and tfir.scatter_update. A module runs through this pass once.

    Example:

    ```mlir
    tfir.apply @w, %g, %rate : tensor<f32> using #tfir.sgd<learning_rate = 0.01>
    ```

    becomes

    ```mlir
    %w = tfir.read @w : tensor<f32>
    %d = tfir.mul %g, %rate : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %new = tfir.sub %w, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfir.assign @w, %new : tensor<f32>
    ```
  }];
}

def PromoteVariablesPass : Pass<"tfir-promote-variables", "::mlir::ModuleOp"> {
  let summary = "reads variables once at the top, writes them once at the end";
  let description = [{
    In between, their values are plain SSA values: a read after an assignment
    uses what was assigned, and only the last assignment to a variable stays.
    Reads that nothing uses go away. Lookups of rows of a variable are colocated with
    it, and sums of rows with what takes them, so that no table travels. Relies on
    tfir-expand-state.

    Example:

    ```mlir
    tfir.assign @w, %a : tensor<f32>
    %w = tfir.read @w : tensor<f32>
    %b = tfir.neg %w : (tensor<f32>) -> tensor<f32>
    tfir.assign @w, %b : tensor<f32>
    ```

    becomes

    ```mlir
    %b = tfir.neg %a : (tensor<f32>) -> tensor<f32>
    tfir.assign @w, %b : tensor<f32>
    ```
  }];
}

def MixPrecisionPass : Pass<"tfir-mix-precision", "::mlir::ModuleOp"> {
  let summary = "computes products with floats of 16 bits";
  let description = [{
    The operands of matrix products and convolutions are rounded to `type`; their sums
    are f32. What is elementwise or moves elements is computed in f32 and kept in 16
    bits where its operands are such values, variables and constants. Variables, what
    leads to their updates, ops that make NaN or infinity of ordinary numbers, and all
    other ops stay f32. Relies on tfir-expand-state, by which updates are arithmetic
    that ends in tfir.assign.

    Example: with `type=bf16`,

    ```mlir
    %y = tfir.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    %z = tfir.relu %y : (tensor<8x2xf32>) -> tensor<8x2xf32>
    ```

    becomes

    ```mlir
    %0 = tfir.cast %x : (tensor<8x4xf32>) -> tensor<8x4xbf16>
    %1 = tfir.cast %0 : (tensor<8x4xbf16>) -> tensor<8x4xf32>
    %2 = tfir.cast %w : (tensor<4x2xf32>) -> tensor<4x2xbf16>
    %3 = tfir.cast %2 : (tensor<4x2xbf16>) -> tensor<4x2xf32>
    %4 = tfir.matmul %1, %3 : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    %5 = tfir.cast %4 : (tensor<8x2xf32>) -> tensor<8x2xbf16>
    %6 = tfir.relu %5 : (tensor<8x2xbf16>) -> tensor<8x2xbf16>
    %z = tfir.cast %6 : (tensor<8x2xbf16>) -> tensor<8x2xf32>
    ```
  }];
  let options = [
    ChoiceOption<"type", "type", "Precision", "Bf16",
                 "As graphc --precision takes it; f32 changes nothing">];
}

#endif
