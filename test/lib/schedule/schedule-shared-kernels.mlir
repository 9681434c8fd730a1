// Launches that share a kernel but write other places get kernels of their own.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s

tfir.variable @v : tensor<4xf32> = #tfir.fill<0>
tfir.variable @w : tensor<4xf32> = #tfir.fill<0>

// CHECK: module @kernels
// CHECK: func.func @k(%arg0: tensor<4xf32>) -> (tensor<4xf32> {exec.inplace = 0 : i64})
// CHECK: func.func @[[COPY:k_.*]](%arg0: tensor<4xf32>) -> tensor<4xf32> {
module @kernels {
  func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
}

// CHECK: exec.program @g
// CHECK: %[[V:.*]] = exec.slot variable @v
// CHECK: %[[W:.*]] = exec.slot variable @w
// CHECK-DAG: exec.dispatch @k(%[[V]]) writes [0]
// CHECK-DAG: exec.dispatch @k(%[[W]]) writes [0]
// CHECK-DAG: exec.dispatch @[[COPY]](%{{.*}}, %{{.*}}) writes [1]
tfir.graph @g(%x: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %v = tfir.read @v : tensor<4xf32>
  %w = tfir.read @w : tensor<4xf32>
  %nv = exec.launch @k(%v) {name = "nv"} : (tensor<4xf32>) -> tensor<4xf32>
  %nw = exec.launch @k(%w) {name = "nw"} : (tensor<4xf32>) -> tensor<4xf32>
  %y = exec.launch @k(%x) {name = "y"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @v, %nv : tensor<4xf32>
  tfir.assign @w, %nw : tensor<4xf32>
  tfir.return %y : tensor<4xf32>
}
