// What linear algebra refuses.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @cholesky_c1(%x: tensor<5x3x4xf32>) {
  // expected-error @+1 {{takes matrices of the type 'tensor<5x3x4xf32>', expected as many rows as columns}}
  %0 = tfir.cholesky %x : (tensor<5x3x4xf32>) -> tensor<5x3x4xf32>
}

// -----

tfir.graph @cholesky_c1_vector(%x: tensor<5xf32>) {
  // expected-error @+1 {{takes matrices of the type 'tensor<5xf32>', expected as many rows as columns}}
  %0 = tfir.cholesky %x : (tensor<5xf32>) -> tensor<5xf32>
}

// -----

tfir.graph @cholesky_c1_large(%x: tensor<65x65xf32>) {
  // expected-error @+1 {{takes matrices of 65 rows, at most 64 are possible: there is code for each}}
  %0 = tfir.cholesky %x : (tensor<65x65xf32>) -> tensor<65x65xf32>
}

// -----

tfir.graph @triangular_solve_c1(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) {
  // expected-error @+1 {{takes matrices of the type 'tensor<2x3xf32>', expected as many rows as columns}}
  %0 = tfir.triangular_solve %x, %y : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
}

// -----

tfir.graph @triangular_solve_c2(%x: tensor<3x3xf32>, %y: tensor<2x1xf32>) {
  // expected-error @+1 {{has the right side 'tensor<2x1xf32>' for 'tensor<3x3xf32>', expected the same dimensions but for the last one}}
  %0 = tfir.triangular_solve %x, %y : (tensor<3x3xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
}

// -----

tfir.graph @triangular_solve_c2_element(%x: tensor<3x3xf32>, %y: tensor<3x1xf64>) {
  // expected-error @+1 {{has the right side 'tensor<3x1xf64>' for 'tensor<3x3xf32>', expected the same dimensions but for the last one}}
  %0 = tfir.triangular_solve %x, %y : (tensor<3x3xf32>, tensor<3x1xf64>) -> tensor<3x1xf64>
}

// -----

tfir.graph @matrix_solve_c1(%x: tensor<65x65xf32>, %y: tensor<65x1xf32>) {
  // expected-error @+1 {{takes matrices of 65 rows, at most 64 are possible: there is code for each}}
  %0 = tfir.matrix_solve %x, %y : (tensor<65x65xf32>, tensor<65x1xf32>) -> tensor<65x1xf32>
}

// -----

tfir.graph @matrix_solve_c2(%x: tensor<2x3x3xf32>, %y: tensor<3x1xf32>) {
  // expected-error @+1 {{has the right side 'tensor<3x1xf32>' for 'tensor<2x3x3xf32>', expected the same dimensions but for the last one}}
  %0 = tfir.matrix_solve %x, %y : (tensor<2x3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
}

// -----

tfir.graph @matrix_solve_c2_scalar(%x: tensor<3x3xf32>, %y: tensor<f32>) {
  // expected-error @+1 {{has the right side 'tensor<f32>' for 'tensor<3x3xf32>', expected the same dimensions but for the last one}}
  %0 = tfir.matrix_solve %x, %y : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @matrix_inverse_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{takes matrices of the type 'tensor<2x3xf32>', expected as many rows as columns}}
  %0 = tfir.matrix_inverse %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----

tfir.graph @matrix_determinant_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{takes matrices of the type 'tensor<2x3xf32>', expected as many rows as columns}}
  %0 = tfir.matrix_determinant %x : (tensor<2x3xf32>) -> tensor<f32>
}

// -----

tfir.graph @trace_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3xf32>', expected two dimensions at least}}
  %0 = tfir.trace %x : (tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @matrix_transpose_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3xf32>', expected two dimensions at least}}
  %0 = tfir.matrix_transpose %x : (tensor<3xf32>) -> tensor<3xf32>
}
