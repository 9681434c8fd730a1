// Partitions that do not fit together.
// RUN: graphc-opt --exec-schedule-programs --split-input-file --verify-diagnostics %s

tfir.graph @"g/A"() attributes {partition_of = "g"} {
  // expected-error @+1 {{'tfir.recv' op waits for edge 1, which nobody sends, or which another recv has taken}}
  %x = tfir.recv edge 1 from 1 level 1 : tensor<4xf32>
}
tfir.graph @"g/B"(%x: tensor<4xf32>) attributes {partition_of = "g"} {
  tfir.send %x edge 0 to 0 : tensor<4xf32>
}

// -----

tfir.graph @"g/A"() attributes {partition_of = "g"} {
}
tfir.graph @"g/B"(%x: tensor<4xf32>) attributes {partition_of = "g"} {
  // expected-error @+1 {{'tfir.send' op sends edge 0, which nobody receives}}
  tfir.send %x edge 0 to 0 : tensor<4xf32>
}

// -----

tfir.graph @"g/A"() attributes {partition_of = "g"} {
  %x = tfir.recv edge 0 from 1 level 1 : tensor<4xf32>
}
tfir.graph @"g/B"(%x: tensor<4xf32>) attributes {partition_of = "g"} {
  // expected-note @+1 {{the other use is here}}
  tfir.send %x edge 0 to 0 : tensor<4xf32>
  // expected-error @+1 {{'tfir.send' op uses edge 0, which is used already; number the edges of a graph anew}}
  tfir.send %x edge 0 to 0 : tensor<4xf32>
}

// -----

// Each waits for the other.
module @kernels {
  func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
}
tfir.graph @"g/A"() attributes {partition_of = "g"} {
  // expected-error @+1 {{'tfir.recv' op can never be done: what it waits for needs its own value, over other programs; the partition is not one that tfir-partition makes}}
  %x = tfir.recv edge 0 from 1 level 1 : tensor<4xf32>
  %y = exec.launch @k(%x) {name = "y"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %y edge 1 to 1 : tensor<4xf32>
}
tfir.graph @"g/B"() attributes {partition_of = "g"} {
  %x = tfir.recv edge 1 from 0 level 1 : tensor<4xf32>
  %y = exec.launch @k(%x) {name = "y"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %y edge 0 to 0 : tensor<4xf32>
}
