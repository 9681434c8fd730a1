// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase scheduled, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_SCHEDULED
#define GRAPHC_PASSES_SCHEDULED

include "include/graphc/passes/PassBase.td"

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

#endif
