// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase partitioned, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_PARTITIONED
#define GRAPHC_PASSES_PARTITIONED

include "include/graphc/passes/PassBase.td"

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

def AddSummaryVariantsPass : Pass<"tfir-add-summary-variants",
                                  "::mlir::ModuleOp"> {
  let summary = "divides graphs with summaries into one with and one without";
  let description = [{
    A graph with `summaries` becomes two: itself without these fetches and what only
    they need, and a variant with them, which a session runs in the steps that write
    summaries. Both have all else in the same order. Where the steps of several
    workers interleave (`instance`), there is no variant, and a warning.

    Example:

    ```mlir
    tfir.graph @train(...) -> ("summary/loss": tensor<f32>) attributes
        {summaries = [#tfir.summary<kind = scalar, tag = "loss", fetch = 0>]}
    ```

    becomes `@train` without fetches, and `@"train#summary"` as it was.
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

def NarrowTransfersPass : Pass<"tfir-narrow-transfers", "::mlir::ModuleOp"> {
  let summary = "sends f32 values from task to task as bf16";
  let description = [{
    The sender rounds, and its own readers take the rounded numbers, too, unless the
    value is that of a variable or a feed. What was rounded to 16 bits before is sent
    as it is. Single numbers, values that a variable is assigned unchanged, first values
    of variables and sums that a library may make stay f32.

    Example: from a device of task 0 to one of task 1,

    ```mlir
    tfir.send %x edge 0 to 1 : tensor<8xf32>
    ```

    becomes

    ```mlir
    %h = tfir.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
    tfir.send %h edge 0 to 1 : tensor<8xbf16>
    ```
  }];
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

#endif
