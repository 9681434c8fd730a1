// Launches, programs, slots, instructions and machine code print as they are
// written.
// RUN: graphc-opt --verify-roundtrip %s | FileCheck %s

tfir.graph @g(%a: tensor<8x3xf32>) -> (c: tensor<8xf32>) {
  // CHECK: %[[R:.*]]:2 = exec.launch @k(%a) {name = "k"} : (tensor<8x3xf32>) -> (tensor<8xf32>, tensor<f32>)
  %c, %d = exec.launch @k(%a) {name = "k"} : (tensor<8x3xf32>) -> (tensor<8xf32>, tensor<f32>)
  tfir.return %c : tensor<8xf32>
}

// CHECK-LABEL: exec.program @train of "train" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 128 live 100 {
exec.program @train of "train" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 128 live 100 {
  // CHECK-NEXT: %[[X:.*]] = exec.slot arena at 0 first 0 last 2 {name = "x"} : <tensor<8xf32>>
  %x = exec.slot arena at 0 first 0 last 2 {name = "x"} : <tensor<8xf32>>
  // CHECK-NEXT: %[[Y:.*]] = exec.slot arena at 64 first 1 last 2 : <tensor<8xui8>>
  %y = exec.slot arena at 64 first 1 last 2 : <tensor<8xui8>>
  // CHECK-NEXT: %[[W:.*]] = exec.slot variable @w : <tensor<8xf32>>
  %w = exec.slot variable @w : <tensor<8xf32>>
  // CHECK-NEXT: %[[C:.*]] = exec.slot constant value dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> : <tensor<2xf32>>
  %c = exec.slot constant value dense<[1.0, 2.0]> : tensor<2xf32> : <tensor<2xf32>>
  // CHECK-NEXT: %[[S:.*]] = exec.slot step_state : <tensor<8xi32>>
  %s = exec.slot step_state : <tensor<8xi32>>
  // CHECK-NEXT: %[[OK:.*]] = exec.slot arena at 64 first 1 last 2 : <tensor<i1>>
  %ok = exec.slot arena at 64 first 1 last 2 : <tensor<i1>>
  // CHECK-NEXT: exec.feed "x" %[[X]] : <tensor<8xf32>>
  exec.feed "x" %x : <tensor<8xf32>>
  // CHECK-NEXT: exec.next @data(%[[Y]]) waits [] : !exec.slot<tensor<8xui8>>
  exec.next @data(%y) waits [] : !exec.slot<tensor<8xui8>>
  // CHECK-NEXT: exec.dispatch @k(%[[X]], %[[C]], %[[S]], %[[W]]) writes [0, 3] waits [0] {name = "k"}
  exec.dispatch @k(%x, %c, %s, %w) writes [0, 3] waits [0] {name = "k"}
      : !exec.slot<tensor<8xf32>>, !exec.slot<tensor<2xf32>>, !exec.slot<tensor<8xi32>>, !exec.slot<tensor<8xf32>>
  // CHECK-NEXT: exec.fill %[[X]] with dense<1.000000e+00> : tensor<f32> waits [] : <tensor<8xf32>>
  exec.fill %x with dense<1.0> : tensor<f32> waits [] : <tensor<8xf32>>
  // CHECK-NEXT: exec.sleep 50 waits [0]
  exec.sleep 50 waits [0]
  // CHECK-NEXT: exec.fail "no luck" waits []
  exec.fail "no luck" waits []
  // CHECK-NEXT: exec.check %[[OK]] else "no luck" waits [0] : <tensor<i1>>
  exec.check %ok else "no luck" waits [0] : !exec.slot<tensor<i1>>
  // CHECK-NEXT: exec.print %[[X]] "x: " first 3 waits [0] {name = "p"} : <tensor<8xf32>>
  exec.print %x "x: " first 3 waits [0] {name = "p"} : !exec.slot<tensor<8xf32>>
  // CHECK-NEXT: exec.all_reduce 1 %[[W]] to %[[X]] waits [3] {name = "r"} : <tensor<8xf32>>, <tensor<8xf32>>
  exec.all_reduce 1 %w to %x waits [3] {name = "r"} : <tensor<8xf32>>, <tensor<8xf32>>
  // CHECK-NEXT: exec.copy %[[W]] to %[[X]] waits [0, 1] : <tensor<8xf32>>, <tensor<8xf32>>
  exec.copy %w to %x waits [0, 1] : <tensor<8xf32>>, <tensor<8xf32>>
  // CHECK-NEXT: exec.fetch "y" %[[X]] : <tensor<8xf32>>
  exec.fetch "y" %x : <tensor<8xf32>>
}

// CHECK: exec.kernel @k units 16 scratch 4096 flops 1.000000e+06 bytes 2.000000e+05
exec.kernel @k units 16 scratch 4096 flops 1.0e6 bytes 2.0e5
// CHECK: exec.image "x86-64-v3" entries [0] code dense<[-61, 0]> : tensor<2xi8>
exec.image "x86-64-v3" entries [0] code dense<[-61, 0]> : tensor<2xi8>

// A device may have nothing to do.
// CHECK-LABEL: exec.program @idle of "idle" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 0 live 0 {
// CHECK-NEXT: }
exec.program @idle of "idle" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 0 live 0 {
}
