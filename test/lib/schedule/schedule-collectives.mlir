// The parts of two collectives that three programs meet: the order is that of
// their begins or, where the values do not allow it, as here, of their ends.
// Program 1 has the value of the second before the first's send is over, but
// not before it begins.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s

module @kernels {
  func.func @k1(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
}

// CHECK-LABEL: exec.program @"begin/GPU:0"
// CHECK-COUNT-3: exec.dispatch
// CHECK-NEXT: exec.send [0]
// CHECK-COUNT-3: exec.dispatch
// CHECK-NEXT: exec.send [1]
// CHECK-LABEL: exec.program @"begin/GPU:1"
// CHECK: exec.recv [0]
// CHECK: exec.recv [2]
tfir.graph @"begin/GPU:0"(%x: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64: 0>, fetch_order = array<i64>, partition_of = "begin"} {
  %1 = exec.launch @k1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = exec.launch @k1(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = exec.launch @k1(%2) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %3 edge 0 to 1 {collective = 0 : i64} : tensor<4xf32>
  %4 = exec.launch @k1(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = exec.launch @k1(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = exec.launch @k1(%5) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %6 edge 1 to 2 {collective = 1 : i64} : tensor<4xf32>
}
tfir.graph @"begin/GPU:1"() -> (a: tensor<4xf32>, b: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:1">, feed_order = array<i64>, fetch_order = array<i64: 0, 1>, partition_of = "begin"} {
  %a = tfir.recv edge 0 from 0 level 1 {collective = 0 : i64} : tensor<4xf32>
  %1 = exec.launch @k1(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %b = tfir.recv edge 2 from 2 level 1 {collective = 1 : i64} : tensor<4xf32>
  %2 = exec.launch @k1(%b) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
tfir.graph @"begin/GPU:2"(%x: tensor<4xf32>) -> (c: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:2">, feed_order = array<i64: 1>, fetch_order = array<i64: 2>, partition_of = "begin"} {
  %1 = exec.launch @k1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %1 edge 2 to 1 {collective = 1 : i64} : tensor<4xf32>
  %b = tfir.recv edge 1 from 0 level 1 {collective = 1 : i64} : tensor<4xf32>
  %2 = exec.launch @k1(%b) : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %2 : tensor<4xf32>
}
