// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase placed, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_PLACED
#define GRAPHC_PASSES_PLACED

include "include/graphc/passes/PassBase.td"

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

def OrderMicroBatchesPass : Pass<"tfir-order-micro-batches",
                                 "::mlir::ModuleOp"> {
  let summary = "gives the ops between micro-batches their turns";
  let description = [{
    The ops of micro-batches have turns, `tfir.slot`, since tfir-replicate. What
    follows from them alone on their device, as a sum of gradients, gets the turn of
    the last of them; what follows from other devices as well comes after all
    turns. What only comes before them has none. Kernels are of one turn, and a
    device takes turns in their order. Predicts how long devices are idle.

    Example: with two micro-batches in the order of GPipe, where `%g0` and `%g1`
    have the turns 2 and 3,

    ```mlir
    %sum = tfir.add %g0, %g1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```

    becomes

    ```mlir
    %sum = tfir.add %g0, %g1 {tfir.slot = 3 : i64}
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"costs", "costs", "std::string", /*default=*/"",
           "JSON file of speeds of devices and links">];
}

#endif
