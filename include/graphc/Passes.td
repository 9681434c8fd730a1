// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All passes of the compiler, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES
#define GRAPHC_PASSES

include "mlir/Pass/PassBase.td"

// An option that is one of the words of an enumeration of Choices.h, which its
// help and its errors list.
class ChoiceOption<string name, string argument, string type, string init,
                   string description>
    : Option<name, argument, "::graphc::" # type,
             "::graphc::" # type # "::" # init, description>;

// Dialects of kernels on their way to LLVM.
defvar CodegenDialects = [
  "::graphc::exec::ExecDialect", "::mlir::affine::AffineDialect",
  "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
  "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
  "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
  "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
  "::mlir::vector::VectorDialect"];

//===-- before and after phases -------------------------------------------===//

def VerifySourcePass : Pass<"tfir-verify-source", "::mlir::ModuleOp"> {
  let summary = "checks what users write";
  let description = [{
    Attributes that only the compiler may write, attributes of the module itself
    and ops outside graphs are errors. Runs first.

    Example:

    ```mlir
    %y = tfir.neg %x {replica = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    ```

    is an error: replication writes the attribute `replica`.
  }];
}

def VerifyPhasePass : Pass<"graphc-verify-phase", "::mlir::ModuleOp"> {
  let summary = "checks that a module has the form that a phase promises";
  let description = [{
    Runs after the passes of each phase, and before all others over a text that
    `--start-at` reads.

    Example: with `phase=parsed`,

    ```mlir
    %y = tfir.neg %x : (tensor<?xf32>) -> tensor<?xf32>
    ```

    is an error: after phase `parsed` every shape is static.
  }];
  let options = [
    Option<"phase", "phase", "std::string", /*default=*/"",
           "The phase, as graphc --stop-after takes it">];
}

//===-- phase parsed ------------------------------------------------------===//

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
           "So many CPU devices; 0: as `devices` says">,
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
  }];
  let options = [
    ChoiceOption<"replicate", "replicate", "Replicate", "Auto",
                 "As graphc --replicate takes it">,
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Towers; 0: one per device of the best kind">];
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

//===-- phase differentiated ----------------------------------------------===//

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

//===-- phase replicated --------------------------------------------------===//

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
    `tower_i/`, gradients are averaged and applied once.

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
           "Add in an order that follows from the number of towers alone">];
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
    moving average. `tfir.apply`, `tfir.update_average`, `tfir.assign_add` and
    `tfir.assign_sub` become reads, elementwise ops and `tfir.assign`. A module
    runs through this pass once.

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
    Reads that nothing uses go away. Relies on tfir-expand-state.

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

//===-- phase placed ------------------------------------------------------===//

def SplitVariablesPass : Pass<"tfir-split-variables", "::mlir::ModuleOp"> {
  let summary = "cuts variables that are too large for one server";
  let description = [{
    By rows, into as few parts as give each server a fair share; not where whole
    variables can be divided that fairly, and not those that a request or a rule
    pins. Reads, assignments and the arithmetic before these are cut as the
    variable is. Runs before tfir-place with the policy `ps-by-bytes`. Relies on
    names and tfir-promote-variables.

    Example: with the devices `cpu:0-1`,

    ```mlir
    tfir.variable @w : tensor<65536x4xf32> = #tfir.fill<0.0>
    ```

    becomes

    ```mlir
    tfir.variable @"w/part_0" : tensor<32768x4xf32> = #tfir.fill<0.0>
        {part_of = "w", part_row = 0 : i64}
    tfir.variable @"w/part_1" : tensor<32768x4xf32> = #tfir.fill<0.0>
        {part_of = "w", part_row = 32768 : i64}
    ```
  }];
  let options = [
    ListOption<"place", "place", "std::string",
               "Rules as tfir-place takes them">,
    Option<"rules", "rules", "std::string", /*default=*/"",
           "File of rules, one per line">];
}

def PlacePass : Pass<"tfir-place", "::mlir::ModuleOp"> {
  let summary = "puts every op and variable on a device";
  let description = [{
    Sets `assigned_device` of ops and variables, and `feed_devices` of graphs, to
    full names of devices. What refers to one variable, reads one part of a
    dataset, or is colocated, is on one device, which has kernels for all of it
    and fits what each `device`, or else the first rule that matches, asks for; of
    several such devices the policy chooses. Constants and feeds go where their
    users are. Relies on flat device scopes and names. Names that no device has,
    and constraints that contradict each other, are errors.

    Example: with the devices `gpu:0-1`,

    ```mlir
    %y = tfir.neg %x {device = #tfir.device<"/device:GPU:1">}
        : (tensor<2xf32>) -> tensor<2xf32>
    ```

    becomes

    ```mlir
    %y = tfir.neg %x
        {assigned_device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:1">,
         device = #tfir.device<"/device:GPU:1">} : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }];
  let options = [
    Option<"kernels", "kernels", "std::string", /*default=*/"",
           "JSON file: on which devices tfir.custom ops run">,
    ListOption<"place", "place", "std::string",
               "Rules such as name~conv.*=/gpu:0; the first match counts">,
    Option<"rules", "rules", "std::string", /*default=*/"",
           "File of rules, one per line">,
    ChoiceOption<"policy", "policy", "PolicyKind", "FirstGpu",
                 "As graphc --placement takes it">,
    Option<"soft", "soft", "bool", /*default=*/"false",
           "Ignore type and id of requests that cannot be met">,
    Option<"costs", "costs", "std::string", /*default=*/"",
           "JSON file of speeds of devices and links">,
    Option<"lock", "lock", "std::string", /*default=*/"",
           "File of an earlier placement that may not change">,
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Emit every decision as a remark at its op">];
}

//===-- phase partitioned -------------------------------------------------===//

def MakeReportPass : Pass<"tfir-make-report", "::mlir::ModuleOp"> {
  let summary = "writes down where everything is, and why";
  let description = [{
    As the JSON of docs/report.md, which becomes part of the model; graphc-opt
    prints it to stdout, without the reasons. Runs before graphs are taken apart.
    The module stays as it is.

    Example: for

    ```mlir
    %y = tfir.neg %x
        {assigned_device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">,
         name = "Neg"} : (tensor<2xf32>) -> tensor<2xf32>
    ```

    the JSON has an op `Neg` on device 0, and this device by its name.
  }];
}

def PartitionPass : Pass<"tfir-partition", "::mlir::ModuleOp"> {
  let summary = "cuts each graph into one per device";
  let description = [{
    Values that cross devices are sent and received, once per destination.

    Example: see docs/partition.md.
  }];
  let options = [
    Option<"byReplica", "by-replica", "bool", /*default=*/"false",
           "One graph per device and tower">];
}

def SplitUpdatesPass : Pass<"tfir-split-updates", "::mlir::ModuleOp"> {
  let summary = "separates updates from what is sent";
  let description = [{
    In partitions of a worker's instance (`instance`), what an assignment needs is
    computed apart from what is sent, so that it may run later, when other workers
    have updated the variables. It gets the attribute `level` that keeps it out of
    the kernels of others.

    Example:

    ```mlir
    %n = tfir.add %step, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    tfir.send %n edge 0 to 1 : tensor<i64>
    tfir.assign @step, %n : tensor<i64>
    ```

    becomes

    ```mlir
    %n = tfir.add %step, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %m = tfir.add %step, %one {level = 1099511627776 : i64}
        : (tensor<i64>, tensor<i64>) -> tensor<i64>
    tfir.send %n edge 0 to 1 : tensor<i64>
    tfir.assign @step, %m : tensor<i64>
    ```
  }];
}

//===-- phase lowered -----------------------------------------------------===//

def AddHostVariantsPass : Pass<"tfir-add-host-variants", "::mlir::ModuleOp"> {
  let summary = "lowers graphs on accelerators a second time, for the host";
  let description = [{
    A graph that has partitions on GPUs gets a variant with the same partitions,
    edges, feeds and fetches, whose kernels are lowered for the CPU of the host. A
    session takes the one or the other, as a whole.

    Example:

    ```mlir
    tfir.graph @predict(%x: tensor<2xf32>) -> (y: tensor<2xf32>)
        attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">} {
      %y = tfir.neg %x : (tensor<2xf32>) -> tensor<2xf32>
      tfir.return %y : tensor<2xf32>
    }
    ```

    stays, and is followed by

    ```mlir
    tfir.graph @"predict#host"(%x: tensor<2xf32>) -> (y: tensor<2xf32>)
        attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">,
                    on_host} {
      %y = tfir.neg %x : (tensor<2xf32>) -> tensor<2xf32>
      tfir.return %y : tensor<2xf32>
    }
    ```
  }];
  let options = [
    Option<"only", "only", "bool", /*default=*/"false",
           "No code for accelerators: the graphs themselves are for the host">];
  let dependentDialects = ["::graphc::tfir::TfirDialect"];
}

def SelectTargetsPass : Pass<"tfir-select-targets", "::mlir::ModuleOp"> {
  let summary = "records the target that makes the code of CPUs";
  let description = [{
    Later passes ask the target of each graph or program
    how its kernels are grouped, lowered and compiled.

    Example: with `cpu-target=reference`, the module gets the attribute

    ```mlir
    module attributes {tfir.cpu_target = "reference"} { ... }
    ```
  }];
  let options = [
    Option<"cpuTarget", "cpu-target", "std::string", /*default=*/"\"cpu\"",
           "Name of the target (lib/target/Targets.cpp)">];
}

def PrepareContractionsPass : Pass<"tfir-prepare-contractions",
                                   "::mlir::ModuleOp"> {
  let summary = "rewrites gradients of convolutions into forms with kernels";
  let description = [{
    The gradient by the images reads a filter that is prepared once; the gradient
    by the filter is a sum of parts that are computed side by side. Products and
    convolutions of empty tensors, which multiply nothing, become zeros. What is
    lowered for a GPU keeps both gradients: libraries have them as they are.

    Example:

    ```mlir
    %df = tfir.conv2d_backprop_filter %x, %dy
        : (tensor<4x8x8x1xf32>, tensor<4x8x8x2xf32>) -> tensor<3x3x1x2xf32>
    ```

    becomes

    ```mlir
    %p = tfir.conv2d_filter_partials %x, %dy
        : (tensor<4x8x8x1xf32>, tensor<4x8x8x2xf32>) -> tensor<1x3x3x1x2xf32>
    %df = tfir.sum %p {axes = array<i64: 0>}
        : (tensor<1x3x3x1x2xf32>) -> tensor<3x3x1x2xf32>
    ```
  }];
  let dependentDialects = ["::graphc::tfir::TfirDialect"];
}

def SplitReductionsPass : Pass<"tfir-split-reductions", "::mlir::ModuleOp"> {
  let summary = "splits large reductions into parts and a small rest";
  let description = [{
    The parts follow from the shape alone, so that results do not depend on the
    number of threads. The reshape that makes the parts moves up through
    elementwise ops, which can then be fused with the first stage.

    Example:

    ```mlir
    %s = tfir.sum %x : (tensor<65536xf32>) -> tensor<f32>
    ```

    becomes

    ```mlir
    %0 = tfir.reshape %x : (tensor<65536xf32>) -> tensor<16x4096xf32>
    %1 = tfir.sum %0 {axes = array<i64: 1>} : (tensor<16x4096xf32>) -> tensor<16xf32>
    %s = tfir.sum %1 {axes = array<i64: 0>} : (tensor<16xf32>) -> tensor<f32>
    ```
  }];
  let dependentDialects = ["::graphc::tfir::TfirDialect"];
}

def FormKernelsPass : Pass<"tfir-form-kernels", "::mlir::ModuleOp"> {
  let summary = "moves groups of ops into kernels and launches them";
  let description = [{
    Elementwise ops join the contraction, the reduction or the elementwise op that
    makes their operand; small ops of any kind join each other. The graph is put
    into an order in which the kernels can run.

    Example:

    ```mlir
    %0 = tfir.square %x : (tensor<8xf32>) -> tensor<8xf32>
    %1 = tfir.neg %0 : (tensor<8xf32>) -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %1 = exec.launch @g_square(%x) : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::graphc::tfir::TfirDialect",
                           "::graphc::exec::ExecDialect",
                           "::mlir::func::FuncDialect"];
}

def LowerKernelsPass : Pass<"tfir-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "turns the ops of kernels into linalg on tensors";
  let description = [{
    Contractions stay, followed by one linalg.generic with what happens to their
    result.

    Example:

    ```mlir
    func.func @g_square(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tfir.square %x : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```

    becomes a function with one `linalg.generic` that multiplies.
  }];
  let dependentDialects = ["::graphc::tfir::TfirDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

//===-- phase scheduled ---------------------------------------------------===//

def ScheduleProgramsPass : Pass<"exec-schedule-programs", "::mlir::ModuleOp"> {
  let summary = "turns graphs of launches into programs over slots";
  let description = [{
    Decides which kernels write a variable in place, orders the instructions,
    gives every value a place in the arena by liveness, and lists for each
    instruction those that it must wait for.

    Example:

    ```mlir
    tfir.graph @g(%x: tensor<8xf32>) -> (y: tensor<8xf32>) {
      %y = exec.launch @g_square(%x) : (tensor<8xf32>) -> tensor<8xf32>
      tfir.return %y : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    exec.program @g of "g" on "/job:localhost/replica:0/task:0/device:CPU:0"
        arena 128 live 128 {
      ...
      exec.dispatch @g_square(%x, %y) writes [1] waits [] : ...
    }
    ```
  }];
  let dependentDialects = ["::graphc::exec::ExecDialect"];
}

def MergeKernelsPass : Pass<"exec-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "lets programs share kernels that are the same";
  let description = [{
    Kernels whose code differs in nothing but the name become one, as those of a
    training and an evaluation graph, or of several towers.

    Example:

    ```mlir
    exec.dispatch @train_Conv2D(...) ...
    exec.dispatch @eval_Conv2D(...) ...
    ```

    becomes

    ```mlir
    exec.dispatch @train_Conv2D(...) ...
    exec.dispatch @train_Conv2D(...) ...
    ```
  }];
}

def CheckBudgetsPass : Pass<"exec-check-budgets", "::mlir::ModuleOp"> {
  let summary = "compares what a step costs with the budgets";
  let description = [{
    Of each graph: bytes and messages between devices, and the memory of each
    device (the arenas of its programs, the scratch memory of its GPU kernels as
    far as they are compiled, and its variables), against every `tfir.budget`,
    every budget of the option and the memory of the devices. What is too much is
    an error that lists the largest contributors.

    Example:

    ```mlir
    tfir.budget "link" from "/gpu:*" to "/cpu:0" at_most 16
    exec.program @"g/GPU:0" of "g" on "/job:localhost/replica:0/task:0/device:GPU:0"
        arena 64 live 64 {
      %x = exec.slot arena at 0 first 0 last 0 : tensor<8xf32> {name = "x"}
      exec.send [0](%x) to 1 waits [] : !exec.slot<tensor<8xf32>>
    }
    ```

    is refused: 32 bytes are sent for `x`.
  }];
  let options = [
    ListOption<"budgetTexts", "budget", "std::string",
               "Such as link /gpu:*->/cpu:0 <= 4MiB">];
}

def JoinMembersPass : Pass<"exec-join-members", "::mlir::ModuleOp"> {
  let summary = "makes one module of the plans for several numbers of workers";
  let description = [{
    Each plan is a module inside the module, with the number of its workers, the
    largest first. They get one table of variables, of datasets and of kernels. A
    graph that is the same in all plans is there once, any other as `NAME#N`. It is
    an error when a variable is not in the same place in all plans, or when all
    graphs are the same. A module without plans stays as it is.

    Example:

    ```mlir
    module attributes {exec.member = 3 : i64} {
      exec.program @train of "train" on "/job:worker/replica:0/task:0/device:CPU:0"
          arena 64 live 64 { ... }
    }
    module attributes {exec.member = 2 : i64} {
      exec.program @train of "train" on "/job:worker/replica:0/task:0/device:CPU:0"
          arena 128 live 128 { ... }
    }
    ```

    becomes

    ```mlir
    exec.program @"train#3" of "train#3" on
        "/job:worker/replica:0/task:0/device:CPU:0" arena 64 live 64
        attributes {member = 3 : i64} { ... }
    exec.program @"train#2" of "train#2" on
        "/job:worker/replica:0/task:0/device:CPU:0" arena 128 live 128
        attributes {member = 2 : i64} { ... }
    ```
  }];
}

//===-- phase compiled ----------------------------------------------------===//

def CompileGpuKernelsPass : Pass<"exec-compile-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "compiles the kernels of programs on GPUs to PTX";
  let description = [{
    Adds what GPUs run in place of each kernel that a program on one dispatches:
    launches of PTX, and calls of libraries for matrix products and convolutions.
    The functions stay, for CPUs.

    Example:

    ```mlir
    module @kernels { func.func @g_square(%x: tensor<8xf32>) -> tensor<8xf32> {...} }
    ```

    gets beside it

    ```mlir
    exec.gpu_kernel @g_square buffers 2 parts [] sizes [] scratch 0 {
      exec.gpu_launch "g_square" [0, 1] grid 1 block 32
    }
    exec.gpu_image "sm_80" ptx "..."
    ```
  }];
  let options = [
    Option<"canonical", "canonical", "bool", /*default=*/"false",
           "Round each product and each sum, whatever kernel they are in">,
    ListOption<"archs", "archs", "std::string",
               "Architectures to compile for, such as sm_80">,
    ChoiceOption<"precision", "precision", "MatmulPrecision", "F32",
                 "Rounding by libraries, as graphc --matmul takes it">,
    Option<"cubin", "cubin", "bool", /*default=*/"false",
           "Machine code of ptxas beside the PTX">];
  let dependentDialects = CodegenDialects # ["::mlir::NVVM::NVVMDialect"];
}

def CompileKernelsPass : Pass<"exec-compile-kernels", "::mlir::ModuleOp"> {
  let summary = "compiles kernels to machine code";
  let description = [{
    Emits loops and micro-kernels, runs LLVM for each level of CPU (x86-64-v3 and
    x86-64-v4, or those of `levels`) and links the results to images that need no
    loader.

    Example:

    ```mlir
    module @kernels { func.func @g_square(%x: tensor<8xf32>) -> tensor<8xf32> {...} }
    ```

    becomes

    ```mlir
    exec.kernel @g_square units 1 scratch 0 flops 8.0 bytes 64.0
    exec.image "x86-64-v3" entries [0] code dense<"0x..."> : tensor<512xi8>
    exec.image "x86-64-v4" entries [0] code dense<"0x..."> : tensor<512xi8>
    ```
  }];
  let options = [
    Option<"canonical", "canonical", "bool", /*default=*/"false",
           "Round each product and each sum, whatever kernel they are in">,
    ListOption<"levels", "levels", "std::string",
               "Levels of CPU to compile for (default: all)">];
  let dependentDialects = CodegenDialects;
}

//===-- interpreter (not part of the pipeline) ----------------------------===//

def InterpretPass : Pass<"tfir-interpret", "::mlir::ModuleOp"> {
  let summary = "executes graphs op by op and prints their fetches";
  let description = [{
    The reference: every op by its definition, in double precision, with nothing
    of the lowering. Prints to stdout `GRAPH STEP FETCH = VALUES` for each fetch of
    each step, and `VARIABLE = VALUES` for each variable at the end. The module
    stays as it is. Graphs with feeds and datasets are interpreted by
    `graphc --interpret`.

    Example: for

    ```mlir
    tfir.graph @g() -> (y: tensor<2xf32>) {
      %x = tfir.const dense<[1.0, 2.0]> : tensor<2xf32>
      %y = tfir.square %x : (tensor<2xf32>) -> tensor<2xf32>
      tfir.return %y : tensor<2xf32>
    }
    ```

    it prints `g 0 y = [1, 4]`.
  }];
  let options = [
    Option<"graph", "graph", "std::string", /*default=*/"",
           "The graph to execute; all that have no feeds without it">,
    Option<"stepCount", "steps", "int64_t", /*default=*/"1", "Steps of each graph">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0", "Of all random numbers">];
}

#endif
