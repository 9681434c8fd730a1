// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All passes of the compiler, in the order in which the pipeline runs them: a file
// per phase.
#ifndef GRAPHC_PASSES
#define GRAPHC_PASSES

include "include/graphc/passes/PassBase.td"

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
    Option<"phase", "phase", "std::optional<::graphc::Phase>", /*default=*/"",
           "The phase, as graphc --stop-after takes it">];
}

include "include/graphc/passes/Parsed.td"
include "include/graphc/passes/Differentiated.td"
include "include/graphc/passes/Replicated.td"
include "include/graphc/passes/Placed.td"
include "include/graphc/passes/Partitioned.td"
include "include/graphc/passes/Lowered.td"
include "include/graphc/passes/Scheduled.td"
include "include/graphc/passes/Compiled.td"

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
