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

// -----

tfir.graph @one_hot_c2(%i: tensor<8xi32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the result; axes count from 0, or from -1 at the end}}
  %0 = tfir.one_hot %i {depth = 4, axis = 2} : (tensor<8xi32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @one_hot_c3(%i: tensor<8xi32>) {
  // expected-error @+1 {{'on_value' is 2.5}}
  %0 = tfir.one_hot %i {depth = 4, on_value = 2.5} : (tensor<8xi32>) -> tensor<8x4xi32>
}

// -----

tfir.graph @one_hot_c3_off(%i: tensor<8xi32>) {
  // expected-error @+1 {{'off_value' is -1}}
  %0 = tfir.one_hot %i {depth = 4, off_value = -1.0} : (tensor<8xi32>) -> tensor<8x4xui8>
}

// -----

tfir.graph @slice_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has 1 begins and 2 sizes, but 'tensor<2x4xf32>' has 2 dimensions}}
  %0 = tfir.slice %x {begin = array<i64: 0>, size = array<i64: 2, 4>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @slice_c2(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{takes 3 elements from 2 on along a dimension of 4}}
  %0 = tfir.slice %x {begin = array<i64: 0, 2>, size = array<i64: 2, 3>} : (tensor<2x4xf32>) -> tensor<2x3xf32>
}

// -----

tfir.graph @slice_c2_before(%x: tensor<?xf32>) {
  // expected-error @+1 {{takes 3 elements from -1 on along a dimension of ?}}
  %0 = tfir.slice %x {begin = array<i64: -1>, size = array<i64: 3>} : (tensor<?xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @slice_c2_behind(%x: tensor<4xf32>) {
  // expected-error @+1 {{takes -1 elements from 5 on along a dimension of 4}}
  %0 = tfir.slice %x {begin = array<i64: 5>, size = array<i64: -1>} : (tensor<4xf32>) -> tensor<0xf32>
}

// -----

tfir.graph @slice_c2_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{takes -2 elements from 0 on along a dimension of 4}}
  %0 = tfir.slice %x {begin = array<i64: 0>, size = array<i64: -2>} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @concat_c1() {
  // expected-error @+1 {{has no operand; give it at least one}}
  %0 = tfir.concat {axis = 0 : i64} : () -> tensor<4xf32>
}

// -----

tfir.graph @concat_c1_shape(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{joins 'tensor<2x4xf32>' and 'tensor<2x5xf32>', which differ in more than the size of dimension 0}}
  %0 = tfir.concat %x, %y {axis = 0 : i64} : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<4x4xf32>
}

// -----

tfir.graph @concat_c1_element(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{joins 'tensor<2xf32>' and 'tensor<2xf64>'}}
  %0 = tfir.concat %x, %y {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>
}

// -----

tfir.graph @concat_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 1 does not exist in 'tensor<2xf32>'}}
  %0 = tfir.concat %x, %x {axis = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @concat_c2_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{axis -1 does not exist in 'tensor<f32>'}}
  %0 = tfir.concat %x, %x {axis = -1 : i64} : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
}
