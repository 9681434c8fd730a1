// What functions beyond arithmetic, activations and clipping refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @floormod_c1(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error @+1 {{operands have the element types 'i32' and 'i64'; cast one of them with tfir.cast}}
  %0 = tfir.floormod %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
}

// -----

tfir.graph @left_shift_c2(%x: tensor<4xi32>, %y: tensor<3xi32>) {
  // expected-error @+1 {{operands of types 'tensor<4xi32>' and 'tensor<3xi32>' do not broadcast}}
  %0 = tfir.left_shift %x, %y : (tensor<4xi32>, tensor<3xi32>) -> tensor<4xi32>
}

// -----

tfir.graph @celu_alpha(%x: tensor<4xf32>) {
  // expected-error @+1 {{alpha is 0, expected another number}}
  %0 = tfir.celu %x {alpha = 0.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @prelu_c1(%x: tensor<2x4xf32>, %a: tensor<3xf32>) {
  // expected-error @+1 {{'alpha' of type 'tensor<3xf32>' does not broadcast to 'tensor<2x4xf32>'}}
  %0 = tfir.prelu %x, %a : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @clip_by_value_c1(%x: tensor<4xf32>, %a: tensor<i32>, %b: tensor<f32>) {
  // expected-error @+1 {{'clip_value_min' of type 'tensor<i32>' does not broadcast to 'tensor<4xf32>'}}
  %0 = tfir.clip_by_value %x, %a, %b : (tensor<4xf32>, tensor<i32>, tensor<f32>) -> tensor<4xf32>
}

// -----

tfir.graph @clip_by_value_c2(%x: tensor<4xf32>, %a: tensor<f32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{'clip_value_max' of type 'tensor<2x4xf32>' does not broadcast to 'tensor<4xf32>'}}
  %0 = tfir.clip_by_value %x, %a, %b : (tensor<4xf32>, tensor<f32>, tensor<2x4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @add_n_c1(%x: tensor<4xf32>, %y: tensor<f32>) {
  // expected-error @+1 {{operands have the types 'tensor<4xf32>' and 'tensor<f32>', expected one type}}
  %0 = tfir.add_n %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
}
