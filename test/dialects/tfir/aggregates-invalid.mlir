// What reductions beyond sums and extrema refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @prod_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the operand}}
  %0 = tfir.prod %x {axes = array<i64: 2>} : (tensor<2x4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @variance_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{names axis -1 twice; name it once}}
  %0 = tfir.variance %x {axes = array<i64: 1, -1>} : (tensor<2x4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @std_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis -3 is outside [-2, 2) of the operand}}
  %0 = tfir.std %x {axes = array<i64: -3>} : (tensor<2x4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @logsumexp_c1(%x: tensor<f32>) {
  // expected-error @+1 {{axis 0 is outside [0, 0) of the operand}}
  %0 = tfir.logsumexp %x {axes = array<i64: 0>} : (tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @any_c1(%x: tensor<2xi1>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.any %x {axes = array<i64: 1>} : (tensor<2xi1>) -> tensor<i1>
}

// -----

tfir.graph @all_c1(%x: tensor<2xi1>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.all %x {axes = array<i64: 1>} : (tensor<2xi1>) -> tensor<i1>
}

// -----

tfir.graph @count_nonzero_c1(%x: tensor<2xi1>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.count_nonzero %x {axes = array<i64: 1>} : (tensor<2xi1>) -> tensor<i64>
}

// -----

tfir.graph @norm_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.norm %x {axes = array<i64: 1>} : (tensor<2xf32>) -> tensor<f32>
}

// -----

tfir.graph @norm_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{ord is 5.000000e-01, expected at least 1}}
  %0 = tfir.norm %x {ord = 0.5 : f64} : (tensor<2xf32>) -> tensor<f32>
}

// -----

tfir.graph @arg_min_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.arg_min %x {axis = 1} : (tensor<2xf32>) -> tensor<i64>
}

// -----

tfir.graph @cumsum_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis -2 is outside [-1, 1) of the operand}}
  %0 = tfir.cumsum %x {axis = -2} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @cumprod_c1(%x: tensor<f32>) {
  // expected-error @+1 {{axis 0 is outside [0, 0) of the operand}}
  %0 = tfir.cumprod %x : (tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @softmax_along_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 3 is outside [-1, 1) of the operand}}
  %0 = tfir.softmax_along %x {axis = 3} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @log_softmax_along_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 3 is outside [-1, 1) of the operand}}
  %0 = tfir.log_softmax_along %x {axis = 3} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @clip_by_norm_c1(%x: tensor<2xf32>, %m: tensor<f32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.clip_by_norm %x, %m {axes = array<i64: 1>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
}

// -----

tfir.graph @clip_by_norm_c2(%x: tensor<2xf32>, %m: tensor<2xf32>) {
  // expected-error @+1 {{'clip_norm' has the type 'tensor<2xf32>', expected 'tensor<f32>'}}
  %0 = tfir.clip_by_norm %x, %m : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @global_norm_c1() {
  // expected-error @+1 {{has no tensors, expected one at least}}
  %0 = tfir.global_norm : () -> tensor<f32>
}

// -----

tfir.graph @global_norm_c1_types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{tensors have the element types 'f32' and 'f64'; cast some of them with tfir.cast}}
  %0 = tfir.global_norm %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<f32>
}

// -----

tfir.graph @clip_by_global_norm_c1(%m: tensor<f32>) {
  // expected-error @+1 {{has no tensors, expected one at least}}
  %0 = tfir.clip_by_global_norm %m : (tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @clip_by_global_norm_c2(%x: tensor<2xf32>, %m: tensor<f64>) {
  // expected-error @+1 {{'clip_norm' has the type 'tensor<f64>', expected 'tensor<f32>'}}
  %0 = tfir.clip_by_global_norm %x, %m : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
}

// -----

tfir.graph @l2_normalize_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0 = tfir.l2_normalize %x {axes = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @l2_normalize_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{epsilon is 0.000000e+00, expected a positive number}}
  %0 = tfir.l2_normalize %x {epsilon = 0.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
}
