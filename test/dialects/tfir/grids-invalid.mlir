// What ranges, grids, diagonals, bands and shapes refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @iota_c1() {
  // expected-error @+1 {{makes 4294967296 elements, at most 2147483647 are possible}}
  %0 = tfir.iota : tensor<65536x65536xi32>
}

// -----

tfir.graph @range_c1_count() {
  // expected-error @+1 {{has 0 operands, expected a limit, or a start, a limit and perhaps a delta}}
  %0 = tfir.range : () -> tensor<4xi32>
}

// -----

tfir.graph @range_c1_type() {
  %a = tfir.const dense<4> : tensor<i32>
  %b = tfir.const dense<4.0> : tensor<f32>
  // expected-error @+1 {{has an operand of type 'tensor<f32>', expected scalars of type 'i32'}}
  %0 = tfir.range %a, %b : (tensor<i32>, tensor<f32>) -> tensor<0xi32>
}

// -----

tfir.graph @range_c1_constant(%n: tensor<i32>) {
  // expected-error @+1 {{has an operand that is no constant, on which the shape of the result would depend; write a number}}
  %0 = tfir.range %n : (tensor<i32>) -> tensor<4xi32>
}

// -----

tfir.graph @range_c2() {
  %a = tfir.const dense<4> : tensor<i32>
  %b = tfir.const dense<1> : tensor<i32>
  // expected-error @+1 {{goes from 4.000000e+00 to 1.000000e+00 by 1.000000e+00, which never gets there}}
  %0 = tfir.range %a, %b : (tensor<i32>, tensor<i32>) -> tensor<0xi32>
}

// -----

tfir.graph @range_c2_zero() {
  %a = tfir.const dense<0> : tensor<i32>
  // expected-error @+1 {{goes from 0.000000e+00 to 0.000000e+00 by 0.000000e+00, which never gets there}}
  %0 = tfir.range %a, %a, %a : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<0xi32>
}

// -----

tfir.graph @range_c3() {
  %a = tfir.const dense<4294967296> : tensor<i64>
  // expected-error @+1 {{makes 4.294967e+09 elements, at most 2147483647 are possible}}
  %0 = tfir.range %a : (tensor<i64>) -> tensor<4294967296xi64>
}

// -----

tfir.graph @linspace_c1(%a: tensor<f32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{goes from 'tensor<f32>' to 'tensor<1xf32>', expected two scalars of one type}}
  %0 = tfir.linspace %a, %b {num = 3} : (tensor<f32>, tensor<1xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @linspace_c2(%a: tensor<f32>) {
  // expected-error @+1 {{num is 0, expected at least 1}}
  %0 = tfir.linspace %a, %a {num = 0} : (tensor<f32>, tensor<f32>) -> tensor<0xf32>
}

// -----

tfir.graph @meshgrid_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{has 1 results, expected 2, one for each operand}}
  %0 = tfir.meshgrid %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
}

// -----

tfir.graph @meshgrid_c1_matrix(%a: tensor<3x3xf32>) {
  // expected-error @+1 {{has an operand of type 'tensor<3x3xf32>', expected vectors}}
  %0 = tfir.meshgrid %a : (tensor<3x3xf32>) -> tensor<3x3xf32>
}

// -----

tfir.graph @meshgrid_c2(%a: tensor<3xf32>) {
  // expected-error @+1 {{the indexing is 'yx', expected 'xy' or 'ij'}}
  %0 = tfir.meshgrid %a {indexing = "yx"} : (tensor<3xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @invert_permutation_c1(%a: tensor<3x1xi32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3x1xi32>', expected a vector}}
  %0 = tfir.invert_permutation %a : (tensor<3x1xi32>) -> tensor<3x1xi32>
}

// -----

tfir.graph @invert_permutation_c2() {
  %a = tfir.const dense<[0, 2, 2]> : tensor<3xi32>
  // expected-error @+1 {{is of a constant in which not each number from 0 to 2 stands once}}
  %0 = tfir.invert_permutation %a : (tensor<3xi32>) -> tensor<3xi32>
}

// -----

tfir.graph @size_c1(%a: tensor<65536x65536xf32>) {
  // expected-error @+1 {{gives 4294967296, which is no i32; write i64 as the type of the result}}
  %0 = tfir.size %a : (tensor<65536x65536xf32>) -> tensor<i32>
}

// -----

tfir.graph @eye_c1() {
  // expected-error @+1 {{has a dimension of size -2, expected no negative size}}
  %0 = tfir.eye {num_rows = 3, num_columns = -2} : () -> tensor<3x3xf32>
}

// -----

tfir.graph @diag_part_c1(%a: tensor<3x4xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3x4xf32>', expected an even rank, and the same sizes in both halves}}
  %0 = tfir.diag_part %a : (tensor<3x4xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @matrix_diag_c1(%a: tensor<f32>) {
  // expected-error @+1 {{the operand has the type 'tensor<f32>', expected a dimension at least}}
  %0 = tfir.matrix_diag %a : (tensor<f32>) -> tensor<1x1xf32>
}

// -----

tfir.graph @matrix_diag_part_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3xf32>', expected two dimensions at least}}
  %0 = tfir.matrix_diag_part %a : (tensor<3xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @matrix_band_part_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3xf32>', expected two dimensions at least}}
  %0 = tfir.matrix_band_part %a {num_lower = 0, num_upper = 0} : (tensor<3xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @triu_c1(%a: tensor<3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<3xf32>', expected two dimensions at least}}
  %0 = tfir.triu %a : (tensor<3xf32>) -> tensor<3xf32>
}
