// The order of instructions, assignments in place and by copies, waits. The bodies
// of these kernels do not matter.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s

tfir.variable @w : tensor<4xf32> = #tfir.fill<0>
tfir.variable @v : tensor<4xf32> = #tfir.fill<0>
tfir.dataset @data(x: tensor<4xf32>) {batch = 2}

module @kernels {
  func.func @k1(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @k2(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @k3(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @k4(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @k5(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @k6(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> { return %b : tensor<4xf32> }
  func.func @k8(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @k9(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
  func.func @k7(%a: tensor<8xf32>) -> tensor<f32> {
    %c = arith.constant dense<0.0> : tensor<f32>
    return %c : tensor<f32>
  }
}

// The new value is written over the argument that holds the old one.
// CHECK-LABEL: exec.program @in_place of "in_place" on "/job:localhost/replica:0/task:0/device:CPU:0"
// CHECK-SAME: arena 64 live 64
// CHECK-NEXT: %[[G:.*]] = exec.slot arena at 0 first 0 last 0 {name = "g"}
// CHECK-NEXT: %[[W:.*]] = exec.slot variable @w {name = "w"}
// CHECK-NEXT: exec.feed "g" %[[G]]
// CHECK-NEXT: exec.dispatch @k1(%[[W]], %[[G]]) writes [0] waits [] {name = "n"}
// CHECK-NEXT: }
tfir.graph @in_place(%g: tensor<4xf32>) {
  %w = tfir.read @w : tensor<4xf32>
  %n = exec.launch @k1(%w, %g) {name = "n"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %n : tensor<4xf32>
}

// A kernel after it reads the old value: the new one is kept aside and copied.
// CHECK-LABEL: exec.program @old_value_later
// CHECK-DAG: %[[W:.*]] = exec.slot variable @w
// CHECK-DAG: %[[N:.*]] = exec.slot arena at {{.*}} {name = "n"}
// CHECK: exec.dispatch @k2(%[[W]], %{{.*}}, %[[N]]) writes [2] waits []
// CHECK-NEXT: exec.dispatch @k3(%[[N]], %[[W]], %{{.*}}) writes [2] waits [0]
// CHECK-NEXT: exec.copy %[[N]] to %[[W]] waits [0, 1]
tfir.graph @old_value_later(%g: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %w = tfir.read @w : tensor<4xf32>
  %n = exec.launch @k2(%w, %g) {name = "n"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = exec.launch @k3(%n, %w) {name = "y"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %n : tensor<4xf32>
  tfir.return %y : tensor<4xf32>
}

// A kernel that reads the old value and needs nothing of the new one comes first.
// CHECK-LABEL: exec.program @old_value_first
// CHECK: %[[W:.*]] = exec.slot variable @w
// CHECK: exec.dispatch @k5(%{{.*}}, %[[W]], %{{.*}}) writes [2] waits []
// CHECK-NEXT: exec.dispatch @k4(%[[W]], %{{.*}}) writes [0] waits [0]
// CHECK-NOT: exec.copy
tfir.graph @old_value_first(%g: tensor<4xf32>) -> (y: tensor<4xf32>) {
  %w = tfir.read @w : tensor<4xf32>
  %n = exec.launch @k4(%w, %g) {name = "n"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = exec.launch @k5(%g, %w) {name = "y"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %n : tensor<4xf32>
  tfir.return %y : tensor<4xf32>
}

// CHECK-LABEL: exec.program @swap
// CHECK-DAG: %[[V:.*]] = exec.slot variable @v
// CHECK-DAG: %[[W:.*]] = exec.slot variable @w
// CHECK: exec.copy %[[V]] to %[[OLDV:.*]] waits []
// CHECK-NEXT: exec.copy %[[W]] to %[[OLDW:.*]] waits []
// CHECK-NEXT: exec.copy %[[OLDV]] to %[[W]] waits [0, 1]
// CHECK-NEXT: exec.copy %[[OLDW]] to %[[V]] waits [0, 1]
tfir.graph @swap() {
  %w = tfir.read @w : tensor<4xf32>
  %v = tfir.read @v : tensor<4xf32>
  tfir.assign @w, %v : tensor<4xf32>
  tfir.assign @v, %w : tensor<4xf32>
}

// Each new value needs the other's old one: only one can be made in place.
// CHECK-LABEL: exec.program @cross
// CHECK-DAG: %[[W:.*]] = exec.slot variable @w
// CHECK-DAG: %[[V:.*]] = exec.slot variable @v
// CHECK: exec.dispatch @k9(%[[W]], %[[NEW:.*]]) writes [1] waits []
// CHECK-NEXT: exec.dispatch @k8(%[[V]], %[[W]]) writes [1] waits [0]
// CHECK-NEXT: exec.copy %[[NEW]] to %[[V]] waits [0, 1]
tfir.graph @cross() {
  %w = tfir.read @w : tensor<4xf32>
  %v = tfir.read @v : tensor<4xf32>
  %nw = exec.launch @k8(%v) {name = "nw"} : (tensor<4xf32>) -> tensor<4xf32>
  %nv = exec.launch @k9(%w) {name = "nv"} : (tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %nw : tensor<4xf32>
  tfir.assign @v, %nv : tensor<4xf32>
}

// A fetch of the old value gets a copy from before the step's kernels; one of the
// new value looks at the variable's own place or at what is copied there.
// CHECK-LABEL: exec.program @fetch_both
// CHECK: exec.copy %[[W:.*]] to %[[OLD:.*]] waits []
// CHECK-NEXT: exec.dispatch @k6(%[[W]], %{{.*}}, %[[NEW:.*]]) writes [2] waits []
// CHECK-NEXT: exec.copy %[[NEW]] to %[[W]] waits [0, 1]
// CHECK-NEXT: exec.fetch "old" %[[OLD]]
// CHECK-NEXT: exec.fetch "new" %[[NEW]]
tfir.graph @fetch_both(%g: tensor<4xf32>) -> (old: tensor<4xf32>, new: tensor<4xf32>) {
  %w = tfir.read @w : tensor<4xf32>
  %n = exec.launch @k6(%w, %g) {name = "n"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfir.assign @w, %n : tensor<4xf32>
  tfir.return %w, %n : tensor<4xf32>, tensor<4xf32>
}

// A batch of a dataset is an instruction; a reshape is the same place.
// CHECK-LABEL: exec.program @batch
// CHECK: exec.next @data(%[[X:.*]]) waits []
// CHECK-NEXT: exec.dispatch @k7(%[[X]], %{{.*}}) writes [1] waits [0]
tfir.graph @batch() -> (s: tensor<f32>) {
  %x = tfir.next @data : tensor<2x4xf32>
  %flat = tfir.reshape %x : (tensor<2x4xf32>) -> tensor<8xf32>
  %s = exec.launch @k7(%flat) {name = "s"} : (tensor<8xf32>) -> tensor<f32>
  tfir.return %s : tensor<f32>
}
