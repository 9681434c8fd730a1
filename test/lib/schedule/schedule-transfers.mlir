// Several programs of one graph: sends, recvs, frames, the order of all
// instructions. The bodies of these kernels do not matter.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s

tfir.variable @w : tensor<4xf32> = #tfir.fill<0>
tfir.dataset @data(x: tensor<4xf32>) {batch = 2}

module @kernels {
  func.func @k1(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @k2(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @update(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @large(%a: tensor<4xf32>) -> tensor<32768xf32> {
    %0 = arith.constant dense<0.0> : tensor<32768xf32>
    return %0 : tensor<32768xf32>
  }
  func.func @slow(%a: tensor<32768xf32>) -> tensor<32768xf32> { return %a : tensor<32768xf32> }
  func.func @fast(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
}

// Small values that leave together for one program are one frame, at both ends.
// Both lie in the arena from the start. The variable is written in place, after
// the instruction that sends its old value.
// CHECK-LABEL: exec.program @"ps/CPU:0" of "ps" on "/job:localhost/replica:0/task:0/device:CPU:0"
// CHECK-SAME: attributes {order = array<i64: 0, 1, 1, 1, 0, 0>, replicas = 2 : i64}
// CHECK-NEXT: %[[B:.*]] = exec.slot arena at 0 first 0 last 0 {name = "b"}
// CHECK-NEXT: %[[W:.*]] = exec.slot variable @w
// CHECK-NEXT: %[[G:.*]] = exec.slot arena at {{[0-9]+}} first 0 last 2 {name = "g"}
// CHECK-NEXT: exec.feed "b" %[[B]]
// CHECK-NEXT: exec.send [0, 1](%[[W]], %[[B]]) to 1 waits [] {name = "w/_send_0"}
// CHECK-NEXT: exec.recv [2](%[[G]]) from 1 waits []
// CHECK-NEXT: exec.dispatch @update(%[[W]], %[[G]]) writes [0] waits [0, 1]
// CHECK-LABEL: exec.program @"ps/GPU:0" of "ps" on "/job:localhost/replica:0/task:0/device:GPU:0"
// CHECK-NEXT: %[[W1:.*]] = exec.slot arena at {{[0-9]+}} first 0 last 1 {name = "w"}
// CHECK-NEXT: %[[B1:.*]] = exec.slot arena at {{[0-9]+}} first 0 last 1 {name = "b"}
// CHECK-NEXT: %[[G1:.*]] = exec.slot arena at {{[0-9]+}} first 1 last 2 {name = "g"}
// CHECK-NEXT: exec.recv [0, 1](%[[W1]], %[[B1]]) from 0 waits []
// CHECK-NEXT: exec.dispatch @k2(%[[W1]], %[[B1]], %[[G1]]) writes [2] waits [0]
// CHECK-NEXT: exec.send [2](%[[G1]]) to 0 collectives [1] waits [1]
tfir.graph @"ps/CPU:0"(%b: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">, feed_order = array<i64: 0>, fetch_order = array<i64>, partition_of = "ps", replicas = 2 : i64} {
  %w = tfir.read @w {name = "w"} : tensor<4xf32>
  tfir.send %w edge 0 to 1 {name = "w/_send_0"} : tensor<4xf32>
  tfir.send %b edge 1 to 1 {name = "b/_send_1"} : tensor<4xf32>
  %g = tfir.recv edge 2 from 1 level 2 {collective = 0 : i64} : tensor<4xf32>
  %n = exec.launch @update(%w, %g) {name = "n"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %n : tensor<4xf32>
}
tfir.graph @"ps/GPU:0"()
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64>, fetch_order = array<i64>, partition_of = "ps", replicas = 2 : i64} {
  %w = tfir.recv edge 0 from 0 level 1 : tensor<4xf32>
  %b = tfir.recv edge 1 from 0 level 1 : tensor<4xf32>
  %g = exec.launch @k2(%w, %b) {name = "g"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.send %g edge 2 to 0 {name = "g/_send_2", collective = 0 : i64} : tensor<4xf32>
}

// The long way first: %big is made and sent before %small, which the graph has
// first. Values of 64 KiB and more travel alone. A value is awaited right before
// its first use, or at the end when only a fetch reads it; what arrives first is
// used first.
// CHECK-LABEL: exec.program @"long/CPU:0"
// CHECK: exec.dispatch @large(
// CHECK-NEXT: exec.send [1](
// CHECK-NEXT: exec.dispatch @k1(
// CHECK-NEXT: exec.send [0](
// CHECK-NEXT: exec.recv [2](
// CHECK-NEXT: exec.fetch "y" {{.*}} {order = 1 : i64}
// CHECK-LABEL: exec.program @"long/GPU:0"
// CHECK: exec.recv [0](
// CHECK-NEXT: exec.dispatch @fast(
// CHECK-NEXT: exec.recv [1](
// CHECK-NEXT: exec.dispatch @slow(
// CHECK-NEXT: exec.send [2](
// CHECK-NEXT: exec.fetch "z"
tfir.graph @"long/CPU:0"(%x: tensor<4xf32>) -> (y: tensor<32768xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">, feed_order = array<i64: 0>, fetch_order = array<i64: 1>, partition_of = "long"} {
  %small = exec.launch @k1(%x) {name = "small"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %small edge 0 to 1 : tensor<4xf32>
  %big = exec.launch @large(%x) {name = "big"} : (tensor<4xf32>) -> tensor<32768xf32>
  tfir.send %big edge 1 to 1 : tensor<32768xf32>
  %y = tfir.recv edge 2 from 1 level 2 : tensor<32768xf32>
  tfir.return %y : tensor<32768xf32>
}
tfir.graph @"long/GPU:0"() -> (z: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64>, fetch_order = array<i64: 0>, partition_of = "long"} {
  %small = tfir.recv edge 0 from 0 level 1 : tensor<4xf32>
  %z = exec.launch @fast(%small) {name = "z"} : (tensor<4xf32>) -> tensor<4xf32>
  %big = tfir.recv edge 1 from 0 level 1 : tensor<32768xf32>
  %y = exec.launch @slow(%big) {name = "y"} : (tensor<32768xf32>) -> tensor<32768xf32>
  tfir.send %y edge 2 to 0 : tensor<32768xf32>
  tfir.return %z : tensor<4xf32>
}

// A reshaped variable is copied to be sent: both ends of an edge have one type. A
// batch in parts, and the state of several towers.
// CHECK-LABEL: exec.program @"views/CPU:0"
// CHECK-DAG: %[[W:.*]] = exec.slot variable @w
// CHECK-DAG: %[[R:.*]] = exec.slot arena at {{[0-9]+}} {{.*}} : <tensor<2x2xf32>>
// CHECK: exec.copy %[[W]] to %[[R]] waits []
// CHECK-NEXT: exec.send [0](%[[R]]) to 1 waits [0]
// CHECK-LABEL: exec.program @"views/GPU:0"
// CHECK: exec.slot step_state {name = "step_state"}
// CHECK: exec.slot step_state replica 1 {name = "step_state"}
// CHECK: exec.next @data(%{{.*}}) waits [] {name = "data", shard = 1 : i64, shards = 2 : i64}
tfir.graph @"views/CPU:0"()
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">, feed_order = array<i64>, fetch_order = array<i64>, partition_of = "views"} {
  %w = tfir.read @w : tensor<4xf32>
  %r = tfir.reshape %w : (tensor<4xf32>) -> tensor<2x2xf32>
  tfir.send %r edge 0 to 1 : tensor<2x2xf32>
}
tfir.graph @"views/GPU:0"() -> (a: tensor<4xf32>, b: tensor<4xf32>, r: tensor<2x2xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64>, fetch_order = array<i64: 0, 1, 2>, partition_of = "views"} {
  %l0, %h0, %s0, %w0 = tfir.step_state
  %l1, %h1, %s1, %w1 = tfir.step_state {replica = 1 : i64}
  %x = tfir.next @data {shard = 1 : i64, shards = 2 : i64} : tensor<1x4xf32>
  %r = tfir.recv edge 0 from 0 level 1 : tensor<2x2xf32>
  %a = exec.launch @k1(%w0) {name = "a"} : (tensor<i32>) -> tensor<4xf32>
  %b = exec.launch @k1(%w1) {name = "b"} : (tensor<i32>) -> tensor<4xf32>
  tfir.return %a, %b, %r : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}

// The new value is needed to make what the reader of the old one waits for, over
// the other program: the variable cannot be written in place.
// CHECK-LABEL: exec.program @"around/CPU:0"
// CHECK: %[[W:.*]] = exec.slot variable @w
// CHECK: exec.copy %{{.*}} to %[[W]]
// CHECK-NEXT: exec.fetch
tfir.graph @"around/CPU:0"(%g: tensor<4xf32>) -> (y: tensor<4xf32>)
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">, feed_order = array<i64: 0>, fetch_order = array<i64: 0>, partition_of = "around"} {
  %w = tfir.read @w : tensor<4xf32>
  %n = exec.launch @update(%w, %g) {name = "n"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.send %n edge 0 to 1 : tensor<4xf32>
  %r = tfir.recv edge 1 from 1 level 2 : tensor<4xf32>
  %y = exec.launch @k2(%r, %w) {name = "y"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %n : tensor<4xf32>
  tfir.return %y : tensor<4xf32>
}
tfir.graph @"around/GPU:0"()
    attributes {device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">, feed_order = array<i64>, fetch_order = array<i64>, partition_of = "around"} {
  %n = tfir.recv edge 0 from 0 level 1 : tensor<4xf32>
  %e = exec.launch @k1(%n) {name = "e"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.send %e edge 1 to 0 : tensor<4xf32>
}
