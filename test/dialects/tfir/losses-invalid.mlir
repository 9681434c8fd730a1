// What losses and parts of metrics refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @sigmoid_cross_entropy_with_logits_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.sigmoid_cross_entropy_with_logits %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @weighted_cross_entropy_with_logits_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>, %q: tensor<f32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.weighted_cross_entropy_with_logits %x, %z, %q : (tensor<2x4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @weighted_cross_entropy_with_logits_c2(%x: tensor<2x4xf32>, %q: tensor<3xf32>) {
  // expected-error @+1 {{'pos_weight' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.weighted_cross_entropy_with_logits %x, %x, %q : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @log_poisson_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.log_poisson_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @compute_weighted_loss_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has the reduction 'most', expected 'none', 'sum', 'sum_over_batch_size', 'sum_by_nonzero_weights' or 'mean'}}
  %0 = tfir.compute_weighted_loss %x {reduction = "most"} : (tensor<2x4xf32>) -> tensor<f32>
}

// -----

tfir.graph @compute_weighted_loss_c2(%x: tensor<2x4xf32>, %w: tensor<2xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<2xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.compute_weighted_loss %x, %w : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<f32>
}

// -----

tfir.graph @absolute_difference_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.absolute_difference %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @absolute_difference_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.absolute_difference %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @mean_squared_error_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.mean_squared_error %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @mean_squared_error_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.mean_squared_error %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @huber_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.huber_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @huber_loss_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.huber_loss %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @smooth_l1_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.smooth_l1_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @smooth_l1_loss_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.smooth_l1_loss %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @log_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.log_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @log_loss_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.log_loss %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @hinge_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.hinge_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @hinge_loss_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.hinge_loss %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @squared_hinge_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.squared_hinge_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @squared_hinge_loss_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.squared_hinge_loss %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @poisson_loss_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.poisson_loss %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @poisson_loss_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.poisson_loss %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @kl_divergence_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.kl_divergence %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @kl_divergence_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2xf32>'}}
  %0 = tfir.kl_divergence %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @cosine_distance_c1(%x: tensor<2x4xf32>, %z: tensor<4xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<4xf32>' have not the same shape}}
  %0 = tfir.cosine_distance %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @cosine_distance_c2(%x: tensor<2x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{'weights' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x1xf32>'}}
  %0 = tfir.cosine_distance %x, %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @mean_squared_error_c2_reduction(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{has the reduction '', expected}}
  %0 = tfir.mean_squared_error %x, %x {reduction = ""} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
}

// -----

tfir.graph @kl_divergence_c1_rank(%x: tensor<f32>) {
  // expected-error @+1 {{expects at least one dimension}}
  %0 = tfir.kl_divergence %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @cosine_distance_c1_axis(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the operand}}
  %0 = tfir.cosine_distance %x, %x {axis = 2} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
}

// -----

tfir.graph @smooth_l1_loss_c3(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{beta is 0.000000e+00, expected a positive number}}
  %0 = tfir.smooth_l1_loss %x, %x {beta = 0.0 : f64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
}

// -----

tfir.graph @huber_loss_c3(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{delta is -1.000000e+00, expected a positive number}}
  %0 = tfir.huber_loss %x, %x {delta = -1.0 : f64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
}

// -----

tfir.graph @in_top_k_c1(%x: tensor<2x4xf32>, %t: tensor<3xi32>) {
  // expected-error @+1 {{predictions of type 'tensor<2x4xf32>' and targets of type 'tensor<3xi32>' are not a matrix and one target for each row}}
  %0 = tfir.in_top_k %x, %t {k = 1} : (tensor<2x4xf32>, tensor<3xi32>) -> tensor<3xi1>
}

// -----

tfir.graph @in_top_k_c2(%x: tensor<2x4xf32>, %t: tensor<2xi32>) {
  // expected-error @+1 {{k is 0, expected at least 1}}
  %0 = tfir.in_top_k %x, %t {k = 0} : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<2xi1>
}

// -----

tfir.graph @bincount_c1(%x: tensor<4xi32>) {
  // expected-error @+1 {{size is 0, expected a number from 1 to 2147483647}}
  %0 = tfir.bincount %x {size = 0} : (tensor<4xi32>) -> tensor<0xi32>
}

// -----

// So have all losses, pools' gradients, convolutions and cells.
tfir.graph @losses_of_two_types(%z: tensor<2x4xf64>, %p: tensor<2x4xf32>) {
  // expected-error @+1 {{requires the same element type for all operands}}
  %0 = tfir.mean_squared_error %z, %p : (tensor<2x4xf64>, tensor<2x4xf32>) -> tensor<f32>
}
