// What normalisations refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @moments_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand}}
  %0:2 = tfir.moments %x {axes = array<i64: 1>} : (tensor<4xf32>) -> (tensor<f32>, tensor<f32>)
}

// -----

tfir.graph @layer_norm_c1(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the operand}}
  %0 = tfir.layer_norm %x, %c, %c {begin_axis = 2} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @layer_norm_c2(%x: tensor<2x4xf32>, %c: tensor<4xf32>, %d: tensor<2xf32>) {
  // expected-error @+1 {{'offset' has the type 'tensor<2xf32>', expected 'tensor<4xf32>'}}
  %0 = tfir.layer_norm %x, %c, %d : (tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @layer_norm_c3(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a number that is not negative}}
  %0 = tfir.layer_norm %x, %c, %c {epsilon = -1.0 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @rms_norm_c1(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{axis -3 is outside [-2, 2) of the operand}}
  %0 = tfir.rms_norm %x, %c {begin_axis = -3} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @rms_norm_c2(%x: tensor<2x4xf32>, %c: tensor<4xf64>) {
  // expected-error @+1 {{'scale' has the type 'tensor<4xf64>', expected 'tensor<4xf32>'}}
  %0 = tfir.rms_norm %x, %c : (tensor<2x4xf32>, tensor<4xf64>) -> tensor<2x4xf32>
}

// -----

tfir.graph @rms_norm_c3(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a number that is not negative}}
  %0 = tfir.rms_norm %x, %c {epsilon = -1.0 : f64} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @group_norm_c1_rank(%x: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{x has the type 'tensor<4xf32>', expected at least 2 dimensions}}
  %0 = tfir.group_norm %x, %c, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @group_norm_c1(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{makes 3 groups of 4 channels, expected a number that divides them}}
  %0 = tfir.group_norm %x, %c, %c {groups = 3} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @group_norm_c2(%x: tensor<2x4xf32>, %c: tensor<2xf32>) {
  // expected-error @+1 {{'scale' has the type 'tensor<2xf32>', expected 'tensor<4xf32>'}}
  %0 = tfir.group_norm %x, %c, %c {groups = 2} : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @group_norm_c3(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a number that is not negative}}
  %0 = tfir.group_norm %x, %c, %c {groups = 2, epsilon = -1.0 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @instance_norm_c1(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{x has the type 'tensor<2x4xf32>', expected at least 3 dimensions}}
  %0 = tfir.instance_norm %x, %c, %c : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @instance_norm_c2(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{'scale' has the type 'tensor<3xf32>', expected 'tensor<4xf32>'}}
  %0 = tfir.instance_norm %x, %c, %c : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
}

// -----

tfir.graph @instance_norm_c3(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a number that is not negative}}
  %0 = tfir.instance_norm %x, %c, %c {epsilon = -1.0 : f64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
}

// -----

tfir.graph @fused_batch_norm_c1(%x: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{x has the type 'tensor<4xf32>', expected at least 2 dimensions}}
  %0:3 = tfir.fused_batch_norm %x, %c, %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// -----

tfir.graph @fused_batch_norm_c2(%x: tensor<2x4xf32>, %c: tensor<4xf32>, %d: tensor<1x4xf32>) {
  // expected-error @+1 {{'offset' has the type 'tensor<1x4xf32>', expected 'tensor<4xf32>'}}
  %0:3 = tfir.fused_batch_norm %x, %c, %d : (tensor<2x4xf32>, tensor<4xf32>, tensor<1x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// -----

tfir.graph @fused_batch_norm_c3(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a number that is not negative}}
  %0:3 = tfir.fused_batch_norm %x, %c, %c {epsilon = -1.0 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// -----

tfir.graph @batch_normalization_c1(%x: tensor<2x4xf32>, %c: tensor<4xf32>, %d: tensor<3xf32>) {
  // expected-error @+1 {{'variance' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.batch_normalization %x, %c, %d, %c, %c : (tensor<2x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @batch_normalization_c2(%x: tensor<2x4xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{variance_epsilon is -1.000000e+00, expected a number that is not negative}}
  %0 = tfir.batch_normalization %x, %c, %c, %c, %c {variance_epsilon = -1.0 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @lrn_c1(%x: tensor<f32>) {
  // expected-error @+1 {{x has the type 'tensor<f32>', expected at least 1 dimensions}}
  %0 = tfir.lrn %x : (tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @lrn_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{depth_radius is -1, expected a number from 0 to 1073741824}}
  %0 = tfir.lrn %x {depth_radius = -1} : (tensor<4xf32>) -> tensor<4xf32>
}
