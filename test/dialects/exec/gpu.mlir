// Kernels for GPUs round-trip.
// RUN: graphc-opt %s --verify-roundtrip | FileCheck %s

// CHECK: exec.gpu_kernel @mm buffers 4 parts [0, 256] sizes [160, 1048576] scratch 1048832 {
exec.gpu_kernel @mm buffers 4 parts [0, 256] sizes [160, 1048576] scratch 1048832 {
  // CHECK-NEXT: exec.gpu_matmul [0, 1, 4, 2, 5] shape [8, 5, 3] {epilogue = 3 : i32, transpose_b}
  exec.gpu_matmul [0, 1, 4, 2, 5] shape [8, 5, 3] {epilogue = 3 : i32, transpose_b}
  // CHECK-NEXT: exec.gpu_matmul [0, 1, 3, 5] shape [8, 5, 3] {alpha = -5.000000e-01 : f32, beta = 1.000000e+00 : f32, precision = 1 : i32}
  exec.gpu_matmul [0, 1, 3, 5] shape [8, 5, 3] {alpha = -0.5 : f32, beta = 1.0 : f32, precision = 1 : i32}
  // CHECK-NEXT: exec.gpu_launch "mm_rest" [4, 3] grid 1 block 64
  exec.gpu_launch "mm_rest" [4, 3] grid 1 block 64
// CHECK-NEXT: }
}

// CHECK: exec.gpu_kernel @conv buffers 3 parts [0] sizes [1024] scratch 1024 {
exec.gpu_kernel @conv buffers 3 parts [0] sizes [1024] scratch 1024 {
  // CHECK-NEXT: exec.gpu_convolution backward_data [0, 1, 2, 3] images [1, 28, 28, 1] filter [32, 5, 5, 1] result [1, 28, 28, 32] strides [1, 1] pads [2, 2]
  exec.gpu_convolution backward_data [0, 1, 2, 3] images [1, 28, 28, 1]
      filter [32, 5, 5, 1] result [1, 28, 28, 32] strides [1, 1] pads [2, 2]
}

// CHECK: exec.gpu_image "sm_80" ptx "// text"
exec.gpu_image "sm_80" ptx "// text"
// CHECK: exec.gpu_image "sm_90" ptx "// text" cubin "code"
exec.gpu_image "sm_90" ptx "// text" cubin "code"
