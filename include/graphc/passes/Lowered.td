// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase lowered, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_LOWERED
#define GRAPHC_PASSES_LOWERED

include "include/graphc/passes/PassBase.td"

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

def IsolateSummariesPass : Pass<"tfir-isolate-summaries", "::mlir::ModuleOp"> {
  let summary = "keeps what summaries need out of other kernels";
  let description = [{
    In variants of graphs with `summaries`, marks the ops that only these need
    (`for_summary`); such an op shares no kernel with others. What it reads of others'
    values is computed again, unless it is in memory in any case: the operand of a
    contraction, of a transfer, of an assignment, or a fetch. So the kernels of all
    else are those of the graph without summaries, to the bit.

    Example: where `%g` is assigned after a subtraction, and shown,

    ```mlir
    %g = tfir.matmul %a, %b
    ```

    is there a second time, with the attribute `for_summary`.
  }];
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

    The values of ops whose names fit a pattern of `keep` are results of their
    kernels, whoever reads them: with `keep=Square`,

    ```mlir
    %1:2 = exec.launch @g_square(%x) {result_names = ["Square", "Neg"]}
           : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Names of ops whose values are to be in memory, with '*'">];
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

#endif
