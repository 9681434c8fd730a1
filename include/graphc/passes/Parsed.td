// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase parsed, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_PARSED
#define GRAPHC_PASSES_PARSED

include "include/graphc/passes/PassBase.td"

def DeclareDevicesPass : Pass<"tfir-declare-devices", "::mlir::ModuleOp"> {
  let summary = "writes the table of devices to compile for";
  let description = [{
    Reads the flags and files that name devices, and writes `tfir.devices`, which
    all later passes read; a table that is there is replaced. Runs first. A module
    without a table is compiled for `cpu:0`.

    Example: with `devices=gpu:0=4GiB`, a module gets

    ```mlir
    tfir.devices client "/job:localhost/replica:0/task:0" [
      "/job:localhost/replica:0/task:0/device:GPU:0" priority 210 memory 4294967296,
      "/job:localhost/replica:0/task:0/device:CPU:0" priority 70 implied
    ]
    ```
  }];
  let options = [
    ListOption<"devices", "devices", "std::string",
               "Devices: gpu:0-3, cpu:0, gpu:2=4GiB, full names">,
    Option<"cpuDevices", "cpu-devices", "int64_t", /*default=*/"0",
           "So many CPU devices; 0: as `devices` lists">,
    Option<"cluster", "cluster", "std::string", /*default=*/"",
           "JSON file of tasks and their devices">,
    Option<"deviceList", "device-list", "std::string", /*default=*/"",
           "JSON file of devices of any kind">,
    Option<"workers", "workers", "int64_t", /*default=*/"0",
           "Without the tasks of all workers but so many; 0: with all">];
  let dependentDialects = ["::graphc::tfir::TfirDialect"];
}

def FlattenDeviceScopesPass : Pass<"tfir-flatten-device-scopes",
                                   "::mlir::ModuleOp"> {
  let summary = "turns device scopes into the device attribute of ops";
  let description = [{
    Names are merged from the outer to the inner scope and the op's own
    `device`: for each part of a name (job, replica, task, type, id) the inner one
    wins, and "" forgets all outer scopes. An op with `colocate_with` takes its
    device from there, so only its own `device` counts. The result is a
    `#tfir.device`, which later passes do not parse. Malformed names are errors, and so is a `colocate_with`
    that is neither the `name` of an op of the graph nor a variable.

    Example:

    ```mlir
    %y = tfir.device "/job:worker/task:1" -> tensor<2xf32> {
      %s = tfir.square %x {device = "/gpu:0"} : (tensor<2xf32>) -> tensor<2xf32>
      tfir.yield %s : tensor<2xf32>
    }
    ```

    becomes

    ```mlir
    %s = tfir.square %x
        {device = #tfir.device<"/job:worker/task:1/device:GPU:0">} : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }];
}

def CollectSummariesPass : Pass<"tfir-collect-summaries", "::mlir::ModuleOp"> {
  let summary = "makes fetches of what summaries show";
  let description = [{
    The operands of `tfir.summary` ops become the last fetches of their graph, which
    gets the attribute `summaries`, in the order of the ops. From here on a summary
    is a value like any fetch: whole, whatever the number of towers.

    Example:

    ```mlir
    tfir.summary.scalar "loss", %loss : tensor<f32>
    tfir.return
    ```

    becomes

    ```mlir
    tfir.return %loss : tensor<f32>
    ```

    in a graph with the fetch `"summary/loss": tensor<f32>` and `summaries =
    [#tfir.summary<kind = scalar, tag = "loss", fetch = 0>]`.
  }];
}

def PlanReplicasPass : Pass<"tfir-plan-replicas", "::mlir::ModuleOp"> {
  let summary = "decides how many towers each graph gets";
  let description = [{
    Sets the attribute `replicas` on graphs. Runs before shapes are bound, since
    each tower takes its part of the batch.

    Example: with the devices `gpu:0-3`, a graph that minimizes something becomes

    ```mlir
    tfir.graph @train(%x: tensor<?xf32>) -> (loss: tensor<f32>)
        attributes {replicas = 4 : i64} {
    ```

    With `pipeline=2`, it becomes a pipeline in place of towers, whose micro-batches
    are the replicas:

    ```mlir
    tfir.graph @train(%x: tensor<?xf32>) -> (loss: tensor<f32>)
        attributes {replicas = 8 : i64,
                    tfir.pipeline = {schedule = "gpipe", stages = 2 : i64}} {
    ```
  }];
  let options = [
    ChoiceOption<"replicate", "replicate", "Replicate", "Auto",
                 "As graphc --replicate takes it">,
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Towers; 0: one per device of the best kind">,
    Option<"stages", "pipeline", "int64_t", /*default=*/"0",
           "Stages of a pipeline in place of towers; 0: none">,
    Option<"microBatches", "micro-batches", "int64_t", /*default=*/"0",
           "Parts of a batch that go through the stages one after another; 0: "
           "four for each stage">,
    ChoiceOption<"schedule", "pipeline-schedule", "PipelineSchedule", "Gpipe",
                 "As graphc --pipeline-schedule takes it">];
}

def BindShapesPass : Pass<"tfir-bind-shapes", "::mlir::ModuleOp"> {
  let summary = "gives every `?` dimension a size";
  let description = [{
    Feeds get their sizes from `bind`, and a first `?` that is left from `batch`.
    The batch of a dataset is its attribute `batch`, the first dimension that a
    `tfir.next` writes, its `bind`, else `batch`. The types of all other values
    are then inferred anew from the top of each graph. A binding that contradicts
    what is written, or names nothing, and a `?` that is left are errors.

    In a graph with `replicas = N` the first `?` of feeds and batches becomes the
    N-th part of what is asked for, and `split_feeds` and `split_fetches` tell
    which of them have such rows. With `feeds=per-tower` the sizes of feeds are
    those of one tower. With `workers=N`, what is asked for is what one of N
    workers takes: rows that towers share are N times as many, and a dataset that
    they read remembers the worker's as `batch_of_worker`.

    Example: with `bind=x:100x784`,

    ```mlir
    tfir.graph @predict(%x: tensor<?x784xf32>) -> (y: tensor<?xf32>) {
      %y = tfir.sum %x {axes = array<i64: 1>}
          : (tensor<?x784xf32>) -> tensor<?xf32>
      tfir.return %y : tensor<?xf32>
    }
    ```

    becomes

    ```mlir
    tfir.graph @predict(%x: tensor<100x784xf32>) -> (y: tensor<100xf32>) {
      %y = tfir.sum %x {axes = array<i64: 1>}
          : (tensor<100x784xf32>) -> tensor<100xf32>
      tfir.return %y : tensor<100xf32>
    }
    ```
  }];
  let options = [
    ListOption<"bindings", "bind", "std::string",
               "Sizes of feeds as NAME:DIMxDIM, such as x:100x784, and batches "
               "of datasets as NAME:SIZE">,
    Option<"batch", "batch", "int64_t", /*default=*/"0",
           "The first dimension of feeds and datasets that have no size; 0 "
           "leaves them">,
    ChoiceOption<"feeds", "feeds", "FeedMode", "Split",
                 "As graphc --feeds takes it: `bind` and `batch` give the rows of "
                 "all towers, or of each">,
    Option<"workers", "workers", "int64_t", /*default=*/"0",
           "`bind` and `batch` are what one of so many workers takes; 0: what "
           "all take">];
}

def ExpandControlPass : Pass<"tfir-expand-control", "::mlir::ModuleOp"> {
  let summary = "writes loops and choices out";
  let description = [{
    Each step of a `tfir.scan` becomes a copy of the ops in its body, the inputs are
    divided by `tfir.unstack`, and what the steps yield is joined by `tfir.stack`. The
    copy of an op with the name `h` for step 2 has the name `h/2`; draws with a `seed`
    get another one in each step but the first. Both bodies of a
    `tfir.if` become ops, and `tfir.select` takes the results; floats that a body takes
    from outside or reads pass a guard, of which the gradient is zero where the other body
    is taken, and it assigns what a variable has there. The body of a `tfir.recompute` takes
    its place, its ops marked with a number, `tfir.recompute = 0`. A `tfir.while` or
    `tfir.cond` stays as it is, with the ops in its bodies written out there, and no later
    pass looks into them; a `tfir.custom_gradient` stays up to tfir-differentiate.
    Runs once shapes are bound, which tell the number of steps. More than 1,048,576
    operations of one loop are an error.

    Example:

    ```mlir
    %h = tfir.scan steps 2 carry(%h0) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i32>, %s: tensor<4xf32>):
      %t = tfir.tanh %s {name = "h"} : (tensor<4xf32>) -> tensor<4xf32>
      tfir.yield %t : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    %a = tfir.tanh %h0 {name = "h/0"} : (tensor<4xf32>) -> tensor<4xf32>
    %h = tfir.tanh %a {name = "h/1"} : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::graphc::tfir::TfirDialect"];
}

def AssignNamesPass : Pass<"tfir-assign-names", "::mlir::ModuleOp"> {
  let summary = "gives every op of a graph a unique name";
  let description = [{
    An op without `name` gets that of its kind in TensorFlow, with `_1`, `_2` and
    so on when it is taken; a read is named after its variable. Two ops of a graph
    with the same written name are an error. A second run names only new ops.

    Example:

    ```mlir
    %w = tfir.read @w : tensor<2x2xf32>
    %y = tfir.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ```

    becomes

    ```mlir
    %w = tfir.read @w {name = "w/read"} : tensor<2x2xf32>
    %y = tfir.matmul %x, %w {name = "MatMul"}
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ```
  }];
}

def LintPass : Pass<"tfir-lint", "::mlir::ModuleOp"> {
  let summary = "warns of what is right but probably not meant";
  let description = [{
    Each rule has an id, and each warning a way to repair it. With
    `stage=parsed` the rules about what the user wrote run, with `stage=placed`
    those about devices.

    Example:

    ```mlir
    tfir.graph @g(%x: tensor<f32>, %y: tensor<f32>) -> (z: tensor<f32>) {
      %z = tfir.neg %x : (tensor<f32>) -> tensor<f32>
      tfir.return %z : tensor<f32>
    }
    ```

    gives `[unused-feed] nothing in graph 'g' uses feed 'y'; remove it, or use it`.
  }];
  let options = [
    ChoiceOption<"stage", "stage", "LintStage", "Parsed",
                 "The phase after which rules run: parsed or placed">,
    Option<"asErrors", "as-errors", "bool", /*default=*/"false",
           "Fail when there is a warning">];
}

#endif
