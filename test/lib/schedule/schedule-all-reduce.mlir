// Sums that a library may make. The bodies of these kernels do not matter.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s

module @kernels {
  func.func @k1(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @k2(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @slow(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = arith.constant dense<0.0> : tensor<32768xf32>
    return %a : tensor<4xf32>
  }
}

// The sum is where the kernel puts it, and the result is another name of that
// place. The term is kept to there. Programs come to it together: what is after
// it in one is not before it in another.
// CHECK-LABEL: exec.program @"sum/GPU:0"
// CHECK-SAME: order = array<i64: {{([01], )*(0, 1, 0, 1|0, 1, 1, 0|1, 0, 0, 1|1, 0, 1, 0)}}>
// CHECK: %[[OWN:.*]] = exec.slot arena {{.*}} {name = "own"}
// CHECK: %[[SUM:.*]] = exec.slot arena at [[AT:[0-9]+]] {{.*}} {name = "sum"}
// CHECK: %[[ALL:.*]] = exec.slot arena at [[AT]] {{.*}} {name = "all"}
// CHECK: exec.dispatch @k1({{.*}}%[[OWN]]) writes [1] waits [] {name = "own"}
// CHECK-NEXT: exec.send [0](%[[OWN]]) to 1 collectives [1] waits [0] {name = {{.*}}, serves = 1 : i64}
// CHECK-NEXT: exec.recv [1]({{.*}}) from 1 waits [] {name = {{.*}}, serves = 1 : i64}
// CHECK-NEXT: exec.dispatch @k2(%[[OWN]], {{.*}}, %[[SUM]]) writes [2] waits [0, 2] {name = "sum", serves = 1 : i64}
// CHECK-NEXT: exec.all_reduce 1 %[[OWN]] to %[[SUM]] waits [0, 3] {name = "all"}
// CHECK-NEXT: exec.dispatch @k1(%[[ALL]], {{.*}}) writes [1] waits [{{.*}}, 4] {name = "mean"}
tfir.graph @"sum/GPU:0"(%x: tensor<4xf32>) -> (a: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64: 0>, fetch_order = array<i64: 0>, partition_of = "sum"} {
  %own = exec.launch @k1(%x) {name = "own"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %own edge 0 to 1 {collective = 0 : i64, fallback, name = "own/_send_0"} : tensor<4xf32>
  %r = tfir.recv edge 1 from 1 level 1 {collective = 0 : i64, fallback, name = "own/_recv_1"} : tensor<4xf32>
  %sum = exec.launch @k2(%own, %r) {collective = 0 : i64, fallback, name = "sum"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %all = tfir.all_reduce %own, %sum {collective = 0 : i64, name = "all"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %mean = exec.launch @k1(%all) {name = "mean"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %mean : tensor<4xf32>
}
// CHECK-LABEL: exec.program @"sum/GPU:1"
tfir.graph @"sum/GPU:1"(%x: tensor<4xf32>) -> (b: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:1">, feed_order = array<i64: 1>, fetch_order = array<i64: 1>, partition_of = "sum"} {
  %own = exec.launch @slow(%x) {name = "own"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %own edge 1 to 0 {collective = 0 : i64, fallback, name = "own/_send_1"} : tensor<4xf32>
  %r = tfir.recv edge 0 from 0 level 1 {collective = 0 : i64, fallback, name = "own/_recv_0"} : tensor<4xf32>
  %sum = exec.launch @k2(%own, %r) {collective = 0 : i64, fallback, name = "sum"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %all = tfir.all_reduce %own, %sum {collective = 0 : i64, name = "all"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %mean = exec.launch @k1(%all) {name = "mean"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.return %mean : tensor<4xf32>
}

// A sum that is a feed, or needed for something else, is copied, which a library
// makes needless.
// CHECK-LABEL: exec.program @"copy/GPU:0"
// CHECK: %[[X:.*]] = exec.slot arena {{.*}} {name = "x"}
// CHECK: %[[S:.*]] = exec.slot arena {{.*}} {name = "s"}
// CHECK: %[[ALL:.*]] = exec.slot arena {{.*}} {name = "all"}
// CHECK: exec.copy %[[S]] to %[[ALL]] waits [] {name = "all", serves = 1 : i64}
// CHECK: exec.all_reduce 1 %[[X]] to %[[ALL]] waits [{{[0-9]+}}]
tfir.graph @"copy/GPU:0"(%x: tensor<4xf32>, %s: tensor<4xf32>) -> (a: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64: 0, 1>, fetch_order = array<i64: 0>, partition_of = "copy"} {
  %all = tfir.all_reduce %x, %s {collective = 0 : i64, name = "all"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.return %all : tensor<4xf32>
}
// CHECK-LABEL: exec.program @"copy/GPU:1"
// CHECK: exec.dispatch @k1({{.*}}, %[[S:[0-9a-z_]+]]) writes [1]
// CHECK: exec.copy %[[S]] to %[[ALL:.*]] waits
// CHECK: exec.all_reduce 1 %{{.*}} to %[[ALL]]
tfir.graph @"copy/GPU:1"(%x: tensor<4xf32>) -> (b: tensor<4xf32>, s1: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:1">, feed_order = array<i64: 2>, fetch_order = array<i64: 1, 2>, partition_of = "copy"} {
  %s = exec.launch @k1(%x) {name = "s1"} : (tensor<4xf32>) -> tensor<4xf32>
  %all = tfir.all_reduce %x, %s {collective = 0 : i64, name = "all"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.return %all, %s : tensor<4xf32>, tensor<4xf32>
}
