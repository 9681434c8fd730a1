// What draws from distributions refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @random_uniform_int_c1() {
  // expected-error @+1 {{makes 4294967296 elements, at most 2147483647 are possible; split the tensor}}
  %0 = tfir.random_uniform_int {minval = 0, maxval = 2} : tensor<65536x65536xi32>
}

// -----

tfir.graph @random_uniform_int_c2() {
  // expected-error @+1 {{draws from [3, 3), expected from 1 to 2^31 numbers of 'i32'}}
  %0 = tfir.random_uniform_int {minval = 3, maxval = 3} : tensor<4xi32>
}

// -----

tfir.graph @random_uniform_int_c2_many() {
  // expected-error @+1 {{draws from [0, 2147483649), expected from 1 to 2^31 numbers of 'i64'}}
  %0 = tfir.random_uniform_int {minval = 0, maxval = 2147483649} : tensor<4xi64>
}

// -----

tfir.graph @random_uniform_int_c2_type() {
  // expected-error @+1 {{draws from [2147483647, 2147483649), expected from 1 to 2^31 numbers of 'i32'}}
  %0 = tfir.random_uniform_int {minval = 2147483647, maxval = 2147483649} : tensor<4xi32>
}

// -----

tfir.graph @bernoulli_c1(%x: tensor<65536x65536xf32>) {
  // expected-error @+1 {{makes 4294967296 elements, at most 2147483647 are possible; split the tensor}}
  %0 = tfir.bernoulli %x : (tensor<65536x65536xf32>) -> tensor<65536x65536xi32>
}

// -----

tfir.graph @multinomial_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{the logits have the type 'tensor<4xf32>', expected rows of classes}}
  %0 = tfir.multinomial %x {num_samples = 5} : (tensor<4xf32>) -> tensor<4x5xi64>
}

// -----

tfir.graph @multinomial_c2(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{num_samples is -1, expected no negative number, and at most 2147483647}}
  %0 = tfir.multinomial %x {num_samples = -1} : (tensor<2x4xf32>) -> tensor<2x5xi64>
}

// -----

tfir.graph @random_gamma_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{has a dimension of size -4, expected no negative size}}
  %0 = tfir.random_gamma %a {shape = [-4]} : (tensor<3xf32>) -> tensor<4x3xf32>
}

// -----

tfir.graph @random_gamma_c2(%a: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{has beta of type 'tensor<2xf32>', which does not broadcast to 'tensor<3xf32>'}}
  %0 = tfir.random_gamma %a, %b {shape = [4]} : (tensor<3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
}

// -----

tfir.graph @random_gamma_c2_larger(%a: tensor<3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{has beta of type 'tensor<2x3xf32>', which does not broadcast to 'tensor<3xf32>'}}
  %0 = tfir.random_gamma %a, %b {shape = [4]} : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
}

// -----

tfir.graph @random_shuffle_c1(%x: tensor<f32>) {
  // expected-error @+1 {{the operand has the type 'tensor<f32>', expected a dimension at least, and at most 1073741824 rows}}
  %0 = tfir.random_shuffle %x : (tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @random_uniform_like_c1(%x: tensor<65536x65536xi8>) {
  // expected-error @+1 {{makes 4294967296 elements, at most 2147483647 are possible; split the tensor}}
  %0 = tfir.random_uniform_like %x : (tensor<65536x65536xi8>) -> tensor<65536x65536xf32>
}

// -----

tfir.graph @random_normal_like_c1(%x: tensor<65536x65536xi8>) {
  // expected-error @+1 {{makes 4294967296 elements, at most 2147483647 are possible; split the tensor}}
  %0 = tfir.random_normal_like %x : (tensor<65536x65536xi8>) -> tensor<65536x65536xf32>
}

// -----

tfir.graph @truncated_normal_like_c1(%x: tensor<65536x65536xi8>) {
  // expected-error @+1 {{makes 4294967296 elements, at most 2147483647 are possible; split the tensor}}
  %0 = tfir.truncated_normal_like %x : (tensor<65536x65536xi8>) -> tensor<65536x65536xf32>
}
