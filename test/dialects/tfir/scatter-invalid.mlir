// What ops that write at computed places refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @scatter_add_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_add %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_add_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_add %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @scatter_sub_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_sub %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_sub_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_sub %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @scatter_mul_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_mul %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_mul_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_mul %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @scatter_div_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_div %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_div_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_div %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @scatter_min_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_min %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_min_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_min %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @scatter_max_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_max %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_max_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_max %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<0>
tfir.graph @assign_rows_c1(%i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{updates rows of 'w', which is a 'tensor<f32>' without a dimension that indices count along; assign it as a whole}}
  tfir.assign_rows @w, %i, %u : tensor<3xi32>, tensor<3xf32>
}

// -----

tfir.variable @w : tensor<4xf32> = #tfir.fill<0>
tfir.graph @assign_rows_c1_name(%i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{names no variable: 'v' is not declared; declare it with tfir.variable}}
  tfir.assign_rows @v, %i, %u : tensor<3xi32>, tensor<3xf32>
}

// -----

tfir.variable @w : tensor<4x5xf32> = #tfir.fill<0>
tfir.graph @assign_rows_c2(%i: tensor<3xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{updates have type 'tensor<3x4xf32>', but 'w' and the indices ask for 'tensor<3x5xf32>'}}
  tfir.assign_rows @w, %i, %u : tensor<3xi32>, tensor<3x4xf32>
}

// -----

tfir.variable @w : tensor<4xf64> = #tfir.fill<0>
tfir.graph @assign_rows_c2_type(%i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{updates have type 'tensor<3xf32>', but 'w' and the indices ask for 'tensor<3xf64>'}}
  tfir.assign_rows @w, %i, %u : tensor<3xi32>, tensor<3xf32>
}

// -----

tfir.variable @w : tensor<4x5x6xf32> = #tfir.fill<0>
tfir.graph @assign_rows_c2_nd(%i: tensor<3x2xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<3x5xf32>', but 'w' and the indices ask for 'tensor<3x6xf32>'}}
  tfir.assign_rows @w, %i, %u {nd} : tensor<3x2xi32>, tensor<3x5xf32>
}

// -----

tfir.variable @w : tensor<4xf32> = #tfir.fill<0>
tfir.graph @assign_rows_c2_coordinates(%i: tensor<3x2xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{indices have 2 coordinates, but the variable has 1 dimensions}}
  tfir.assign_rows @w, %i, %u {nd} : tensor<3x2xi32>, tensor<3xf32>
}

// -----

tfir.variable @w : tensor<4xf32> = #tfir.fill<0>
tfir.graph @assign_rows_c3(%i: tensor<1073741825xi32>, %u: tensor<1073741825xf32>) {
  // expected-error @+1 {{has 1073741825 indices, at most 1073741824 are possible; split them}}
  tfir.assign_rows @w, %i, %u : tensor<1073741825xi32>, tensor<1073741825xf32>
}

// -----

tfir.variable @w : tensor<4xf32> = #tfir.fill<0>
tfir.graph @assign_rows_c4(%i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{combine is 'plus', expected one of 'update', 'add', 'sub', 'mul', 'div', 'min', 'max'}}
  tfir.assign_rows @w, %i, %u {combine = "plus"} : tensor<3xi32>, tensor<3xf32>
}
