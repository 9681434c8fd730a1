// The gradient of a filter has a kernel only in the form of partial sums, which
// tfir-prepare-contractions gives it.
// RUN: not graphc-opt --exec-compile-kernels %s 2>&1 | FileCheck %s
// CHECK: filter-gradient-invalid.mlir:9:10: error: {{.*}}has a kernel only as partial sums; run tfir-prepare-contractions before the ops are grouped
module {
module @kernels {
  func.func @df(%x: tensor<2x6x6x4xf32>, %dy: tensor<2x6x6x8xf32>)
      -> tensor<3x3x4x8xf32> {
    %0 = tfir.conv2d_backprop_filter %x, %dy
        : (tensor<2x6x6x4xf32>, tensor<2x6x6x8xf32>) -> tensor<3x3x4x8xf32>
    return %0 : tensor<3x3x4x8xf32>
  }
}
}
