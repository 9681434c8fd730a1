// What the pass refuses, and where it says so; programs on CPUs need nothing of it.
// RUN: split-file %s %t
// RUN: not graphc-opt --exec-compile-gpu-kernels="archs=sm_80" %t/function.mlir 2>&1 \
// RUN:   | FileCheck %t/function.mlir
// RUN: not graphc %t/function.mlir --start-at=scheduled -o %t/none.bin 2>&1 \
// RUN:   | FileCheck %t/function.mlir
// RUN: not graphc-opt --exec-compile-gpu-kernels="archs=sm_80,sm_70" %t/good.mlir 2>&1 \
// RUN:   | FileCheck %t/good.mlir --check-prefix=ARCH
// RUN: not graphc-opt --exec-compile-gpu-kernels="archs=sm_80 precision=f8" %t/good.mlir \
// RUN:   2>&1 | FileCheck %t/good.mlir --check-prefix=PRECISION
// RUN: graphc-opt --exec-compile-gpu-kernels="archs=sm_70" %t/cpu.mlir \
// RUN:   | FileCheck %t/cpu.mlir

//--- function.mlir
// CHECK: function.mlir:14:12: error: 'math.cbrt' of 'f64' has no kernel code; compute it in f32
exec.program @g of "g" on "/job:localhost/replica:0/task:0/device:GPU:0" arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<4xf64>>
  exec.dispatch @f(%x, %x) writes [1] waits []
      : !exec.slot<tensor<4xf64>>, !exec.slot<tensor<4xf64>>
}
module @kernels {
  func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
    %e = tensor.empty() : tensor<4xf64>
    %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
    ^bb0(%u: f64, %o: f64):
      %t = math.cbrt %u : f64
      linalg.yield %t : f64
    } -> tensor<4xf64>
    return %a : tensor<4xf64>
  }
}

//--- good.mlir
// ARCH: error: 'sm_70' is no GPU architecture that kernels are compiled for; use sm_80 or a later one: sm_80, sm_86,
// PRECISION: for the --precision option: 'f8' is none of f32, tf32, bf16
exec.program @g of "g" on "/job:localhost/replica:0/task:0/device:GPU:0" arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<4xf32>>
  exec.dispatch @f(%x, %x) writes [1] waits []
      : !exec.slot<tensor<4xf32>>, !exec.slot<tensor<4xf32>>
}
module @kernels {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

//--- cpu.mlir
// CHECK-NOT: exec.gpu
// CHECK: module @kernels
// CHECK-NOT: exec.gpu
exec.program @g of "g" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<4xf32>>
  exec.dispatch @f(%x, %x) writes [1] waits []
      : !exec.slot<tensor<4xf32>>, !exec.slot<tensor<4xf32>>
}
module @kernels {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
