// What constants, random numbers and changes of shape refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @const_c1() {
  // expected-error @+1 {{all of {value, output} have same type}}
  %0 = "tfir.const"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
}

// -----

tfir.graph @random_uniform_c1() {
  // expected-error @+1 {{makes 2147483648 elements, at most 2147483647 are possible; split the tensor}}
  %0 = tfir.random_uniform : tensor<2147483648xf32>
}

// -----

tfir.graph @reshape_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{cannot turn the 8 elements of 'tensor<2x4xf32>' into 'tensor<9xf32>'}}
  %0 = tfir.reshape %x : (tensor<2x4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @reshape_c1_rest(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{cannot turn the 8 elements of 'tensor<2x4xf32>' into 'tensor<?x3xf32>'}}
  %0 = tfir.reshape %x : (tensor<2x4xf32>) -> tensor<?x3xf32>
}

// -----

tfir.graph @reshape_c2(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{can work out one '?' of the result, 'tensor<?x?xf32>' has 2}}
  %0 = tfir.reshape %x : (tensor<2x4xf32>) -> tensor<?x?xf32>
}

// -----

tfir.graph @reshape_element(%x: tensor<4xf32>) {
  // expected-error @+1 {{cannot change the element type from 'f32' to 'i32'; cast with tfir.cast}}
  %0 = tfir.reshape %x : (tensor<4xf32>) -> tensor<4xi32>
}

// -----

tfir.graph @broadcast_to_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{a shape of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.broadcast_to %x : (tensor<3xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @transpose_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{perm must name each dimension of 'tensor<2x4xf32>' once}}
  %0 = tfir.transpose %x {perm = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
}

// -----

tfir.graph @transpose_c1_short(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{perm must name each dimension of 'tensor<2x4xf32>' once}}
  %0 = tfir.transpose %x {perm = array<i64>} : (tensor<2x4xf32>) -> tensor<f32>
}

// -----

tfir.graph @one_hot_c1(%i: tensor<8xi32>) {
  // expected-error @+1 {{depth is 0, expected at least 1}}
  %0 = tfir.one_hot %i {depth = 0} : (tensor<8xi32>) -> tensor<8x0xf32>
}
