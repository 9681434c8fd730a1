// What optimizers, rates and tfir.minimize refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @minimize_c2(%x: tensor<f32>) {
  // expected-error @+1 {{clip_norm is 0.000000e+00, expected a number above 0}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {clip_norm = 0.0}
}

// -----

tfir.graph @minimize_c2_many(%x: tensor<f32>) {
  // expected-error @+1 {{clips in 2 ways; keep one of clip_value, clip_norm and clip_global_norm}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {clip_norm = 1.0, clip_value = 1.0}
}

// -----

tfir.graph @minimize_c3(%x: tensor<f32>) {
  // expected-error @+1 {{l2 is -1.000000e+00, expected at least 0}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {l2 = -1.0}
}

// -----

tfir.graph @minimize_c4(%x: tensor<f32>) {
  // expected-error @+1 {{accumulate is 0, expected at least 1}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {accumulate = 0}
}

// -----

tfir.graph @minimize_c5(%x: tensor<f32>) {
  // expected-error @+1 {{loss_scale is 0.000000e+00, expected a number above 0}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {loss_scale = 0.0}
}

// -----

tfir.graph @minimize_c5_growth(%x: tensor<f32>) {
  // expected-error @+1 {{loss_scale_growth is -3, expected at least 1}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {loss_scale = 2.0, loss_scale_growth = -3}
}

// -----

tfir.graph @minimize_c5_alone(%x: tensor<f32>) {
  // expected-error @+1 {{has loss_scale_growth without a scale to begin with; add loss_scale, such as 32768.0}}
  tfir.minimize %x using #tfir.sgd<learning_rate = 1> {loss_scale_growth = 3}
}

// -----

tfir.graph @minimize_c6(%x: tensor<f32>) {
  // expected-error @+1 {{has decay_variables, but nothing decays; give l2, or an optimizer with weight_decay}}
  tfir.minimize %x using #tfir.adam<learning_rate = 1> {decay_variables = [@w]}
}

// -----

tfir.graph @minimize_c6_twice(%x: tensor<f32>) {
  // expected-error @+1 {{has 'w' twice among its decay_variables}}
  tfir.minimize %x using #tfir.adamw<learning_rate = 1> {decay_variables = [@w, @w]}
}

// -----

tfir.graph @rate(%x: tensor<f32>) {
  // expected-error @+2 {{failed to parse Tfir_SgdAttr parameter 'learning_rate'}}
  // expected-error @+1 {{expected a finite number or a schedule, such as #tfir.exponential_decay<...>, as rate}}
  tfir.minimize %x using #tfir.sgd<learning_rate = "fast">
}

// -----

// expected-error @+1 {{learning_rate_power is 5.000000e-01, expected at most 0}}
tfir.variable @ftrl_c1 : tensor<f32> = #tfir.ftrl<learning_rate = 1, learning_rate_power = 0.5>

// -----

// expected-error @+1 {{initial_accumulator is -1.000000e+00, expected at least 0}}
tfir.variable @ftrl_c2 : tensor<f32> = #tfir.ftrl<learning_rate = 1, initial_accumulator = -1>

// -----

// expected-error @+1 {{l1 is -1.000000e+00, expected at least 0}}
tfir.variable @ftrl_c2_l1 : tensor<f32> = #tfir.ftrl<learning_rate = 1, l1 = -1>

// -----

// expected-error @+1 {{l2 is -1.000000e+00, expected at least 0}}
tfir.variable @proximal_c1 : tensor<f32> = #tfir.proximal_gradient_descent<learning_rate = 1, l2 = -1>

// -----

// expected-error @+1 {{l1 is -1.000000e+00, expected at least 0}}
tfir.variable @proximal_adagrad_c1 : tensor<f32> = #tfir.proximal_adagrad<learning_rate = 1, l1 = -1>

// -----

// expected-error @+1 {{decay_steps is 0, expected at least 1}}
tfir.variable @natural_c1 : tensor<f32> = #tfir.natural_exp_decay<initial = 1, decay_steps = 0, decay_rate = 1>

// -----

// expected-error @+1 {{decay_steps is 0, expected at least 1}}
tfir.variable @inverse_c1 : tensor<f32> = #tfir.inverse_time_decay<initial = 1, decay_steps = 0, decay_rate = 1>

// -----

// expected-error @+1 {{decay_rate is -1.000000e+00, expected at least 0}}
tfir.variable @inverse_c2 : tensor<f32> = #tfir.inverse_time_decay<initial = 1, decay_steps = 1, decay_rate = -1>

// -----

// expected-error @+1 {{boundaries are not steps that ascend: 1.000000e+01 follows 1.000000e+01}}
tfir.variable @piecewise_c1 : tensor<f32> = #tfir.piecewise_constant<boundaries = [10, 10], values = [1, 2, 3]>

// -----

// expected-error @+1 {{boundaries are not steps that ascend: 5.000000e-01 follows -1.000000e+00}}
tfir.variable @piecewise_c1_half : tensor<f32> = #tfir.piecewise_constant<boundaries = [0.5], values = [1, 2]>

// -----

// expected-error @+1 {{there are 2 values for 2 boundaries, expected one value more}}
tfir.variable @piecewise_c2 : tensor<f32> = #tfir.piecewise_constant<boundaries = [10, 20], values = [1, 2]>

// -----

// expected-error @+1 {{decay_steps is -5, expected at least 1}}
tfir.variable @polynomial_c1 : tensor<f32> = #tfir.polynomial_decay<initial = 1, decay_steps = -5>

// -----

// expected-error @+1 {{power is 0.000000e+00, expected above 0}}
tfir.variable @polynomial_c2 : tensor<f32> = #tfir.polynomial_decay<initial = 1, decay_steps = 5, power = 0>

// -----

// expected-error @+1 {{decay_steps is 0, expected at least 1}}
tfir.variable @cosine_c1 : tensor<f32> = #tfir.cosine_decay<initial = 1, decay_steps = 0>

// -----

// expected-error @+1 {{first_decay_steps is 0, expected at least 1}}
tfir.variable @restarts_c1 : tensor<f32> = #tfir.cosine_decay_restarts<initial = 1, first_decay_steps = 0>

// -----

// expected-error @+1 {{t_mul is 1.001000e+00, expected 1, or at least 1.01}}
tfir.variable @restarts_c2 : tensor<f32> = #tfir.cosine_decay_restarts<initial = 1, first_decay_steps = 1, t_mul = 1.001>

// -----

// expected-error @+1 {{m_mul is 0.000000e+00, expected above 0}}
tfir.variable @restarts_c3 : tensor<f32> = #tfir.cosine_decay_restarts<initial = 1, first_decay_steps = 1, m_mul = 0>

// -----

// expected-error @+1 {{model_dim is 0, expected at least 1}}
tfir.variable @noam_c1 : tensor<f32> = #tfir.noam_decay<model_dim = 0, warmup_steps = 1>

// -----

// expected-error @+1 {{warmup_steps is 0, expected at least 1}}
tfir.variable @noam_c1_steps : tensor<f32> = #tfir.noam_decay<model_dim = 1, warmup_steps = 0>

// -----

// expected-error @+1 {{steps is 0, expected at least 1}}
tfir.variable @warmup_c1 : tensor<f32> = #tfir.linear_warmup<rate = 1, steps = 0>

// -----

// expected-error @+2 {{failed to parse Tfir_PiecewiseConstantAttr parameter 'boundaries'}}
// expected-error @+1 {{expected a number such as 0.5}}
tfir.variable @numbers : tensor<f32> = #tfir.piecewise_constant<boundaries = ["a"], values = [1]>
