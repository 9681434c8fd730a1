// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as GPUs run them: launches of PTX and calls of libraries.
#ifndef GRAPHC_DIALECTS_EXEC_EXECGPUOPS
#define GRAPHC_DIALECTS_EXEC_EXECGPUOPS

include "dialects/exec/ExecBase.td"

def Exec_GpuEpilogue : I32EnumAttr<"GpuEpilogue",
    "what a library does to a product", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Bias", 1, "bias">,
    I32EnumAttrCase<"Relu", 2, "relu">,
    I32EnumAttrCase<"BiasRelu", 3, "bias_relu">]> {
  let cppNamespace = "::graphc::exec";
}

def Exec_GpuPrecision : I32EnumAttr<"GpuPrecision",
    "how a library may round operands", [
    I32EnumAttrCase<"Float32", 0, "f32">,
    I32EnumAttrCase<"Tf32", 1, "tf32">,
    I32EnumAttrCase<"Bfloat16", 2, "bf16">]> {
  let cppNamespace = "::graphc::exec";
}

def Exec_GpuConvolutionKind : I32EnumAttr<"GpuConvolutionKind",
    "a convolution or one of its gradients", [
    I32EnumAttrCase<"Forward", 0, "forward">,
    I32EnumAttrCase<"BackwardData", 1, "backward_data">,
    I32EnumAttrCase<"BackwardFilter", 2, "backward_filter">]> {
  let cppNamespace = "::graphc::exec";
}

def Exec_GpuImageOp : Exec_Op<"gpu_image"> {
  let summary = "the code of all launches for one GPU architecture";
  let description = [{
    `cubin` is machine code for just this architecture, if there is any; newer ones
    take the PTX.

    Example: `exec.gpu_image "sm_80" ptx ".version 7.0 ..."`
  }];
  let arguments = (ins StrAttr:$arch, StrAttr:$ptx,
                       OptionalAttr<StrAttr>:$cubin);
  let assemblyFormat = "$arch `ptx` $ptx (`cubin` $cubin^)? attr-dict";
}

def Exec_GpuKernelOp : Exec_Op<"gpu_kernel", [SingleBlock, NoTerminator]> {
  let summary = "a kernel as GPUs run it";
  let description = [{
    The stages in the region run in order. Each takes the addresses of some buffers,
    by number: those below `buffers` are slots of the dispatch, the others parts of
    the kernel's scratch memory of `scratch` bytes, which lie at `parts` and have
    `sizes`.

    - (C1) each part has a size and lies inside the scratch memory, at a multiple of
      256
    - (C2) the region holds stages only, and each names buffers that there are

    Example:

    ```mlir
    exec.gpu_kernel @train_MatMul buffers 4 parts [0] sizes [1048576] scratch 1048576 {
      exec.gpu_matmul [0, 1, 3, 4] shape [8, 5, 3]
      exec.gpu_launch "train_MatMul_rest" [3, 2] grid 1 block 32
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64Attr:$buffers,
                       DenseI64ArrayAttr:$parts, DenseI64ArrayAttr:$sizes,
                       I64Attr:$scratch);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel `buffers` $buffers `parts` $parts `sizes` $sizes `scratch` $scratch
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

class Exec_GpuStage<string mnemonic> : Exec_Op<mnemonic,
    [HasParent<"GpuKernelOp">]>;

def Exec_GpuLaunchOp : Exec_GpuStage<"gpu_launch"> {
  let summary = "launches an entry of the PTX";
  let description = [{
    `grid` blocks of `block` threads.

    Example: see `exec.gpu_kernel`.
  }];
  let arguments = (ins StrAttr:$entry, DenseI64ArrayAttr:$buffers, I64Attr:$grid,
                       I64Attr:$block);
  let assemblyFormat = [{
    $entry $buffers `grid` $grid `block` $block attr-dict
  }];
}

def Exec_GpuMatmulOp : Exec_GpuStage<"gpu_matmul"> {
  let summary = "a matrix product by a library";
  let description = [{
    C = epilogue(alpha A B + beta C), row-major, where `shape` is rows and columns of
    C and what is summed over. The buffers are A, B, C, the bias if the epilogue has
    one, and the workspace.

    - (C1) `shape` has three numbers
    - (C2) there are four buffers, or five with a bias

    Example: see `exec.gpu_kernel`.
  }];
  let arguments = (ins DenseI64ArrayAttr:$buffers, DenseI64ArrayAttr:$shape,
      UnitAttr:$transpose_a, UnitAttr:$transpose_b,
      DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
      DefaultValuedAttr<F32Attr, "0.0f">:$beta,
      DefaultValuedAttr<Exec_GpuEpilogue, "GpuEpilogue::None">:$epilogue,
      DefaultValuedAttr<Exec_GpuPrecision, "GpuPrecision::Float32">:$precision);
  let assemblyFormat = "$buffers `shape` $shape attr-dict";
  let hasVerifier = 1;
}

def Exec_GpuConvolutionOp : Exec_GpuStage<"gpu_convolution"> {
  let summary = "a convolution, or a gradient of one, by a library";
  let description = [{
    The shapes are those of the convolution: `images` and `result` are NHWC, `filter`
    is output channels, height, width, input channels. `pads` are the same at both
    ends. Buffers: what is read, what is written, the bias if the epilogue has one,
    and the workspace. A forward convolution reads images and filter, `backward_data`
    the result's gradient and the filter, `backward_filter` the images and the
    result's gradient.

    - (C1) shapes have four numbers, strides and pads two
    - (C2) there are four buffers, or five with a bias, which only a forward
      convolution has

    Example:

    ```mlir
    exec.gpu_convolution forward [0, 4, 3, 5] images [1, 28, 28, 1]
        filter [32, 5, 5, 1] result [1, 28, 28, 32] strides [1, 1] pads [2, 2]
    ```
  }];
  let arguments = (ins Exec_GpuConvolutionKind:$kind, DenseI64ArrayAttr:$buffers,
      DenseI64ArrayAttr:$images, DenseI64ArrayAttr:$filter,
      DenseI64ArrayAttr:$result, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$pads,
      DefaultValuedAttr<Exec_GpuEpilogue, "GpuEpilogue::None">:$epilogue,
      DefaultValuedAttr<Exec_GpuPrecision, "GpuPrecision::Float32">:$precision);
  let assemblyFormat = [{
    $kind $buffers `images` $images `filter` $filter `result` $result `strides`
    $strides `pads` $pads attr-dict
  }];
  let hasVerifier = 1;
}

#endif
