// What orders of rows refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @argsort_c1(%x: tensor<f32>) {
  // expected-error @+1 {{orders rows along the last dimension of 'tensor<f32>'; it needs one of at most 1073741824 elements}}
  %0 = tfir.argsort %x : (tensor<f32>) -> tensor<i32>
}

// -----

tfir.graph @sort_c1(%x: tensor<1073741825xf32>) {
  // expected-error @+1 {{it needs one of at most 1073741824 elements}}
  %0 = tfir.sort %x : (tensor<1073741825xf32>) -> tensor<1073741825xf32>
}

// -----

tfir.graph @top_k_c2(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{k is 5, expected 1 to the size of the last dimension of 'tensor<2x4xf32>'}}
  %0, %1 = tfir.top_k %x {k = 5 : i64} : (tensor<2x4xf32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
}
