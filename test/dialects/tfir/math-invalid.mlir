// What the elementwise ops, reductions and matmul refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @add_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{operands have the element types 'f32' and 'f64'; cast one of them with tfir.cast}}
  %0 = tfir.add %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
}

// -----

tfir.graph @add_c2(%x: tensor<2x4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{operands of types 'tensor<2x4xf32>' and 'tensor<3xf32>' do not broadcast}}
  %0 = tfir.add %x, %y : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @add_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{gives 'tensor<4xf32>' as result #0, but 'tensor<5xf32>' is written}}
  %0 = tfir.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
}

// -----

tfir.graph @less_c1(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error @+1 {{operands have the element types 'i32' and 'i64'}}
  %0 = tfir.less %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi1>
}

// -----

tfir.graph @select_c1(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{operands have the element types 'f32' and 'i32'}}
  %0 = tfir.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// -----

tfir.graph @select_condition(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{a condition of type 'tensor<3xi1>' does not broadcast with 'tensor<4xf32>'}}
  %0 = tfir.select %c, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @cast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the shape from 'tensor<4xf32>' to 'tensor<2x2xi32>'; reshape with tfir.reshape}}
  %0 = tfir.cast %x : (tensor<4xf32>) -> tensor<2x2xi32>
}

// -----

tfir.graph @cast_string(%x: tensor<1x!tfir.string>) {
  // expected-error @+1 {{strings cannot be cast}}
  %0 = tfir.cast %x : (tensor<1x!tfir.string>) -> tensor<1xi32>
}

// -----

tfir.graph @sum_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the operand}}
  %0 = tfir.sum %x {axes = array<i64: 2>} : (tensor<2x4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @sum_c1_twice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{names axis -1 twice}}
  %0 = tfir.sum %x {axes = array<i64: 1, -1>} : (tensor<2x4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @arg_max_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis -3 is outside [-2, 2) of the operand}}
  %0 = tfir.arg_max %x {axis = -3} : (tensor<2x4xf32>) -> tensor<2xi64>
}

// -----

tfir.graph @matmul_c1(%x: tensor<4xf32>, %w: tensor<4x5xf32>) {
  // expected-error @+1 {{multiplies matrices, but the operands have the types 'tensor<4xf32>' and 'tensor<4x5xf32>'}}
  %0 = tfir.matmul %x, %w : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
}

// -----

tfir.graph @matmul_c2(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+1 {{sums over 4 columns of the first operand but 5 rows of the second}}
  %0 = tfir.matmul %x, %w : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{gives elements of 'f32' the type 'i16', which has another number of bits; change the number with tfir.cast}}
  %0 = tfir.bitcast %x : (tensor<4xf32>) -> tensor<4xi16>
}

// -----

tfir.graph @bitcast_of_bools(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %0 = tfir.bitcast %x : (tensor<4xi1>) -> tensor<4xi8>
}

// -----

tfir.graph @matmul_c4(%a: tensor<2x3xi8>, %b: tensor<3x2xui8>) {
  // expected-error @+1 {{operands have the element types 'i8' and 'ui8'; cast one of them with tfir.cast}}
  %0 = tfir.matmul %a, %b : (tensor<2x3xi8>, tensor<3x2xui8>) -> tensor<2x2xi8>
}
