// What batches of products, einsum and attention refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @matmul_c3(%a: tensor<2x3x4xf32>, %b: tensor<5x4x6xf32>) {
  // expected-error @+1 {{has operands of types 'tensor<2x3x4xf32>' and 'tensor<5x4x6xf32>', whose batch dimensions do not broadcast}}
  %0 = tfir.matmul %a, %b : (tensor<2x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x3x6xf32>
}

// -----

tfir.graph @einsum_c1(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot read the equation 'ij'; expected letters for one or two operands and the result, such as 'bij,bjk->bik'}}
  %0 = tfir.einsum %a {equation = "ij"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----

tfir.graph @einsum_c1_ellipsis(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot read the equation '...j->j'}}
  %0 = tfir.einsum %a {equation = "...j->j"} : (tensor<2x3xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @einsum_c2(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{the equation 'ij,jk->ik' has 2 operands, but 1 are given}}
  %0 = tfir.einsum %a {equation = "ij,jk->ik"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----

tfir.graph @einsum_c2_letters(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'ijk' does not have a letter for each dimension of 'tensor<2x3xf32>'}}
  %0 = tfir.einsum %a {equation = "ijk->ij"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}

// -----

tfir.graph @einsum_c3(%a: tensor<3x3xf32>) {
  // expected-error @+1 {{'ii' names a letter twice; a diagonal is not taken}}
  %0 = tfir.einsum %a {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @einsum_c3_result(%a: tensor<3x3xf32>) {
  // expected-error @+1 {{the result 'ii' names a letter twice}}
  %0 = tfir.einsum %a {equation = "ij->ii"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}

// -----

tfir.graph @einsum_c3_unknown(%a: tensor<3x3xf32>) {
  // expected-error @+1 {{the result names 'k', which no operand has}}
  %0 = tfir.einsum %a {equation = "ij->ik"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
}

// -----

tfir.graph @einsum_c4(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{'j' stands for sizes 3 and 4}}
  %0 = tfir.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
}

// -----

tfir.graph @attention_c1(%q: tensor<8xf32>, %k: tensor<5x8xf32>) {
  // expected-error @+1 {{expects matrices, but q, k and v have the types 'tensor<8xf32>', 'tensor<5x8xf32>' and 'tensor<5x8xf32>'}}
  %0 = tfir.scaled_dot_product_attention %q, %k, %k : (tensor<8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
}

// -----

tfir.graph @attention_c1_batch(%q: tensor<2x5x8xf32>, %k: tensor<3x5x8xf32>) {
  // expected-error @+1 {{the batches broadcast, but q, k and v}}
  %0 = tfir.scaled_dot_product_attention %q, %k, %k : (tensor<2x5x8xf32>, tensor<3x5x8xf32>, tensor<3x5x8xf32>) -> tensor<2x5x8xf32>
}

// -----

tfir.graph @attention_c2(%q: tensor<5x8xf32>, %k: tensor<5x7xf32>) {
  // expected-error @+1 {{queries and keys have one depth, but q, k and v}}
  %0 = tfir.scaled_dot_product_attention %q, %k, %k : (tensor<5x8xf32>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
}

// -----

tfir.graph @attention_c2_values(%q: tensor<5x8xf32>, %v: tensor<6x8xf32>) {
  // expected-error @+1 {{there is a value for each key, but q, k and v}}
  %0 = tfir.scaled_dot_product_attention %q, %q, %v : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
}

// -----

tfir.graph @attention_c3(%q: tensor<5x8xf32>, %m: tensor<2x5x5xi1>) {
  // expected-error @+1 {{the mask has type 'tensor<2x5x5xi1>', which does not broadcast to the scores, 'tensor<5x5xf32>'}}
  %0 = tfir.scaled_dot_product_attention %q, %q, %q, %m : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<2x5x5xi1>) -> tensor<5x8xf32>
}

// -----

tfir.graph @attention_c4(%q: tensor<5x8xf32>) {
  // expected-error @+1 {{dropout is 1.000000e+00, expected [0, 1)}}
  %0 = tfir.scaled_dot_product_attention %q, %q, %q {dropout = 1.0 : f64} : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
}

// -----

tfir.graph @scaled_dot_product_attention_c5(%q: tensor<5x8xf32>, %k: tensor<5x8xf64>) {
  // expected-error @+1 {{expects one element type, but q, k and v have the types 'tensor<5x8xf32>', 'tensor<5x8xf64>' and 'tensor<5x8xf64>'}}
  %0 = tfir.scaled_dot_product_attention %q, %k, %k : (tensor<5x8xf32>, tensor<5x8xf64>, tensor<5x8xf64>) -> tensor<5x8xf32>
}

// -----

tfir.graph @scaled_dot_product_attention_c5_mask(%q: tensor<5x8xf32>, %m: tensor<5x5xf64>) {
  // expected-error @+1 {{the mask has type 'tensor<5x5xf64>', expected the element type of q, 'f32'}}
  %0 = tfir.scaled_dot_product_attention %q, %q, %q, %m : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x5xf64>) -> tensor<5x8xf32>
}
