// Places in the arena: values that do not live at the same time share bytes, the
// reuse adds waits, and the program states its size beside the largest live sum.
// RUN: graphc-opt --exec-schedule-programs %s | FileCheck %s

module @kernels {
  func.func @a(%x: tensor<100xf32>) -> tensor<100xf32> { return %x : tensor<100xf32> }
  func.func @b(%x: tensor<100xf32>) -> tensor<100xf32> { return %x : tensor<100xf32> }
  func.func @c(%x: tensor<100xf32>) -> tensor<100xf32> { return %x : tensor<100xf32> }
  func.func @d(%x: tensor<100xf32>) -> tensor<100xf32> { return %x : tensor<100xf32> }
  func.func @small(%x: tensor<100xf32>) -> (tensor<f32>, tensor<50xf32>) {
    %0 = arith.constant dense<0.0> : tensor<f32>
    %1 = arith.constant dense<0.0> : tensor<50xf32>
    return %0, %1 : tensor<f32>, tensor<50xf32>
  }
  func.func @join(%a: tensor<f32>, %b: tensor<50xf32>) -> tensor<f32> { return %a : tensor<f32> }
}

// Two places of 400 bytes, rounded up to 448, are enough for a chain.
// CHECK-LABEL: exec.program @chain
// CHECK-SAME: arena 896 live 896
// CHECK-NEXT: %[[X:.*]] = exec.slot arena at 0 first 0 last 0 {name = "x"}
// CHECK-NEXT: %[[A:.*]] = exec.slot arena at 448 first 0 last 1 {name = "a"}
// CHECK-NEXT: %[[B:.*]] = exec.slot arena at 0 first 1 last 2 {name = "b"}
// CHECK-NEXT: %[[C:.*]] = exec.slot arena at 448 first 2 last 3 {name = "c"}
// CHECK-NEXT: %[[D:.*]] = exec.slot arena at 0 first 3 last 4 {name = "d"}
// CHECK: exec.dispatch @a({{.*}}) writes [1] waits []
// B lies where x was: the writer of b waits for the reader of x.
// CHECK-NEXT: exec.dispatch @b({{.*}}) writes [1] waits [0]
// CHECK-NEXT: exec.dispatch @c({{.*}}) writes [1] waits [0, 1]
// CHECK-NEXT: exec.dispatch @d({{.*}}) writes [1] waits [1, 2]
tfir.graph @chain(%x: tensor<100xf32>) -> (d: tensor<100xf32>) {
  %a = exec.launch @a(%x) {name = "a"} : (tensor<100xf32>) -> tensor<100xf32>
  %b = exec.launch @b(%a) {name = "b"} : (tensor<100xf32>) -> tensor<100xf32>
  %c = exec.launch @c(%b) {name = "c"} : (tensor<100xf32>) -> tensor<100xf32>
  %d = exec.launch @d(%c) {name = "d"} : (tensor<100xf32>) -> tensor<100xf32>
  tfir.return %d : tensor<100xf32>
}

// The second result of a kernel has a place and a name of its own. What is
// fetched lives to the end.
// CHECK-LABEL: exec.program @two_results
// CHECK-SAME: arena 768 live 768
// CHECK: %[[S:.*]] = exec.slot arena at {{.*}} first 0 last 1 {name = "s"} : <tensor<f32>>
// CHECK-NEXT: %[[T:.*]] = exec.slot arena at {{.*}} first 0 last 2 {name = "s:1"} : <tensor<50xf32>>
// CHECK-NEXT: %[[J:.*]] = exec.slot arena at {{.*}} first 1 last 2 {name = "j"}
// CHECK: exec.dispatch @small(%{{.*}}, %[[S]], %[[T]]) writes [1, 2] waits []
// CHECK-NEXT: exec.dispatch @join(%[[S]], %[[T]], %[[J]]) writes [2] waits [0]
tfir.graph @two_results(%x: tensor<100xf32>) -> (j: tensor<f32>, t: tensor<50xf32>) {
  %s, %t = exec.launch @small(%x) {name = "s"} : (tensor<100xf32>) -> (tensor<f32>, tensor<50xf32>)
  %j = exec.launch @join(%s, %t) {name = "j"} : (tensor<f32>, tensor<50xf32>) -> tensor<f32>
  tfir.return %j, %t : tensor<f32>, tensor<50xf32>
}
