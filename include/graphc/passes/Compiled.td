// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of phase compiled, in the order in which the pipeline runs them.
#ifndef GRAPHC_PASSES_COMPILED
#define GRAPHC_PASSES_COMPILED

include "include/graphc/passes/PassBase.td"

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
           "Machine code of ptxas beside the PTX">,
    Option<"cache", "cache", "std::string", /*default=*/"\"\"",
           "Folder of PTX that was made before">];
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
               "Levels of CPU to compile for (default: all)">,
    ChoiceOption<"optLevel", "opt-level", "OptLevel", "Full",
                 "How much LLVM optimizes, as graphc --opt-level takes it">,
    Option<"cache", "cache", "std::string", /*default=*/"\"\"",
           "Folder of machine code that was made before">];
  let dependentDialects = CodegenDialects;
}

#endif
