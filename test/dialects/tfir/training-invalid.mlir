// What differentiation and training refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @gradients_c1(%y: tensor<f32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{gives 'tensor<3xf32>' as gradient of a value of type 'tensor<2xf32>'}}
  %0 = tfir.gradients %y, %x : (tensor<f32>, tensor<2xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @gradients_c1_count(%y: tensor<f32>, %x: tensor<2xf32>) {
  // expected-error @+1 {{gives 0 gradients for 1 values}}
  tfir.gradients %y, %x : (tensor<f32>, tensor<2xf32>) -> ()
}

// -----

tfir.graph @gradients_c2(%y: tensor<f32>, %x: tensor<2xi32>) {
  // expected-error @+1 {{operand #1 must be variadic of ranked tensor of 32-bit float or 64-bit float or 16-bit float or bfloat16 type values}}
  %0 = tfir.gradients %y, %x : (tensor<f32>, tensor<2xi32>) -> tensor<2xf32>
}

// -----

tfir.graph @minimize_c1(%x: tensor<f32>) {
  // expected-error @+1 {{cannot use #tfir.fill<1.0> as optimizer; expected #tfir.sgd, #tfir.momentum}}
  tfir.minimize %x using #tfir.fill<1>
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<0>
tfir.graph @apply_optimizer(%g: tensor<f32>) {
  // expected-error @+1 {{attribute 'optimizer' failed to satisfy constraint: an optimizer}}
  tfir.apply @w, %g, %g : tensor<f32> using #tfir.fill<1>
}

// -----

tfir.graph @ema_c1() {
  // expected-error @+1 {{decay is 1.500000e+00, expected [0, 1]}}
  tfir.ema {decay = 1.5}
}

// -----

tfir.graph @update_average_c1(%d: tensor<f32>) {
  // expected-error @+1 {{names no variable: 'w' is not declared}}
  tfir.update_average @a of @w, %d
}

// -----

// expected-error @+1 {{decay_steps is 0, expected at least 1}}
tfir.variable @rate : tensor<f32> = #tfir.exponential_decay<initial = 0.1, decay_steps = 0, decay_rate = 0.9>

// -----

// expected-error @+1 {{decay_rate is not positive}}
tfir.variable @rate : tensor<f32> = #tfir.exponential_decay<initial = 0.1, decay_steps = 1, decay_rate = 0>
