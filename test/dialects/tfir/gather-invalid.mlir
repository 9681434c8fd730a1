// What reads and sums at computed places refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @gather_c1(%x: tensor<4x5xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{axis is 2, but params have 2 dimensions; expected one of [-2, 2)}}
  %0 = tfir.gather %x, %i {axis = 2 : i64} : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<4x3xf32>
}

// -----

tfir.graph @gather_scalar(%x: tensor<f32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{axis is 0, but params have 0 dimensions}}
  %0 = tfir.gather %x, %i : (tensor<f32>, tensor<3xi32>) -> tensor<3xf32>
}

// -----

tfir.graph @embedding_lookup_c1(%x: tensor<f32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{params have type 'tensor<f32>', expected a table of rows}}
  %0 = tfir.embedding_lookup %x, %i : (tensor<f32>, tensor<3xi32>) -> tensor<3xf32>
}

// -----

tfir.graph @embedding_lookup_none(%i: tensor<3xi32>) {
  // expected-error @+1 {{has no params; expected a table, or its parts}}
  %0 = tfir.embedding_lookup %i : (tensor<3xi32>) -> tensor<3xf32>
}

// -----

tfir.graph @embedding_lookup_c2(%x: tensor<4x5xf32>, %y: tensor<4x6xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{a part of the table has type 'tensor<4x6xf32>', another one 'tensor<4x5xf32>'; expected the same but for their rows}}
  %0 = tfir.embedding_lookup %x, %y, %i : (tensor<4x5xf32>, tensor<4x6xf32>, tensor<3xi32>) -> tensor<3x5xf32>
}

// -----

tfir.graph @embedding_lookup_c3(%x: tensor<4x5xf32>, %y: tensor<2x5xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{part 0 of a table of 6 rows has 4, expected 3; parts differ by one row at most, and the first ones have more}}
  %0 = tfir.embedding_lookup %x, %y, %i : (tensor<4x5xf32>, tensor<2x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
}

// -----

tfir.graph @embedding_lookup_c4(%x: tensor<4x5xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{partition_strategy is 'modulo', expected 'mod' or 'div'}}
  %0 = tfir.embedding_lookup %x, %i {partition_strategy = "modulo"} : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<3x5xf32>
}

// -----

tfir.graph @scatter_update_c1(%x: tensor<f32>, %i: tensor<3xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{ref has type 'tensor<f32>', expected a dimension that indices count along}}
  %0 = tfir.scatter_update %x, %i, %u : (tensor<f32>, tensor<3xi32>, tensor<3xf32>) -> tensor<f32>
}

// -----

tfir.graph @scatter_update_c2(%x: tensor<4x5xf32>, %i: tensor<3xi32>, %u: tensor<4x5xf32>) {
  // expected-error @+1 {{updates have type 'tensor<4x5xf32>', but ref and indices ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_update %x, %i, %u : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @scatter_update_types(%x: tensor<4xf32>, %i: tensor<3xi32>, %u: tensor<3xf64>) {
  // expected-error @+1 {{updates have type 'tensor<3xf64>', but ref and indices ask for 'tensor<3xf32>'}}
  %0 = tfir.scatter_update %x, %i, %u : (tensor<4xf32>, tensor<3xi32>, tensor<3xf64>) -> tensor<4xf32>
}

// -----

tfir.graph @scatter_update_c3(%x: tensor<4xf32>, %i: tensor<1073741825xi32>, %u: tensor<1073741825xf32>) {
  // expected-error @+1 {{replaces 1073741825 slices, at most 1073741824 are possible; split them}}
  %0 = tfir.scatter_update %x, %i, %u : (tensor<4xf32>, tensor<1073741825xi32>, tensor<1073741825xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @unique_c1(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{x has type 'tensor<2x3xi32>', expected one dimension of at most 1073741824 elements}}
  %0, %1 = tfir.unique %x : (tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
}

// -----

tfir.graph @gather_nd_c1(%x: tensor<4x5xf32>, %i: tensor<3x?xi32>) {
  // expected-error @+1 {{indices have type 'tensor<3x?xi32>', expected coordinates along a last dimension that is known}}
  %0 = tfir.gather_nd %x, %i : (tensor<4x5xf32>, tensor<3x?xi32>) -> tensor<3xf32>
}

// -----

tfir.graph @gather_nd_c2(%x: tensor<4x5xf32>, %i: tensor<3x3xi32>) {
  // expected-error @+1 {{indices have 3 coordinates, but params have 2 dimensions}}
  %0 = tfir.gather_nd %x, %i : (tensor<4x5xf32>, tensor<3x3xi32>) -> tensor<3xf32>
}

// -----

tfir.graph @scatter_nd_c1(%i: tensor<i32>, %u: tensor<f32>) {
  // expected-error @+1 {{indices have type 'tensor<i32>', expected coordinates along a last dimension that is known}}
  %0 = tfir.scatter_nd %i, %u {shape = array<i64: 4>} : (tensor<i32>, tensor<f32>) -> tensor<4xf32>
}

// -----

tfir.graph @scatter_nd_c2(%i: tensor<3x2xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{indices have 2 coordinates, but shape has 1 dimensions}}
  %0 = tfir.scatter_nd %i, %u {shape = array<i64: 4>} : (tensor<3x2xi32>, tensor<3xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @scatter_nd_c2_negative(%i: tensor<3x1xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{shape has a negative size}}
  %0 = tfir.scatter_nd %i, %u {shape = array<i64: -4>} : (tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @scatter_nd_c3(%i: tensor<3x1xi32>, %u: tensor<3x2xf32>) {
  // expected-error @+1 {{updates have type 'tensor<3x2xf32>', but indices and shape ask for 'tensor<3x5xf32>'}}
  %0 = tfir.scatter_nd %i, %u {shape = array<i64: 4, 5>} : (tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<4x5xf32>
}

// -----

tfir.graph @unsorted_segment_sum_c1(%x: tensor<8x3xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{num_segments is -1, expected 0 or more}}
  %0 = tfir.unsorted_segment_sum %x, %i {num_segments = -1 : i64} : (tensor<8x3xf32>, tensor<8xi32>) -> tensor<5x3xf32>
}

// -----

tfir.graph @unsorted_segment_max_c2(%x: tensor<8x3xf32>, %i: tensor<7xi32>) {
  // expected-error @+1 {{data have type 'tensor<8x3xf32>', whose shape does not begin with that of segment_ids, 'tensor<7xi32>'}}
  %0 = tfir.unsorted_segment_max %x, %i {num_segments = 5 : i64} : (tensor<8x3xf32>, tensor<7xi32>) -> tensor<5x3xf32>
}

// -----

tfir.graph @unsorted_segment_mean_c2(%x: tensor<8xf32>, %i: tensor<8x3xi32>) {
  // expected-error @+1 {{whose shape does not begin with that of segment_ids}}
  %0 = tfir.unsorted_segment_mean %x, %i {num_segments = 5 : i64} : (tensor<8xf32>, tensor<8x3xi32>) -> tensor<5xf32>
}

// -----

tfir.graph @segment_sum_c1(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{num_segments is -2, expected 0 or more}}
  %0 = tfir.segment_sum %x, %i {num_segments = -2 : i64} : (tensor<8xf32>, tensor<8xi32>) -> tensor<5xf32>
}

// -----

tfir.graph @segment_sum_c2(%x: tensor<8x3xf32>, %i: tensor<8x3xi32>) {
  // expected-error @+1 {{segment_ids have type 'tensor<8x3xi32>', expected one dimension}}
  %0 = tfir.segment_sum %x, %i {num_segments = 5 : i64} : (tensor<8x3xf32>, tensor<8x3xi32>) -> tensor<5xf32>
}

// -----

tfir.graph @segment_sum_c3(%x: tensor<1073741825xf32>, %i: tensor<1073741825xi32>) {
  // expected-error @+1 {{sums 1073741825 slices, at most 1073741824 are possible; split them}}
  %0 = tfir.segment_sum %x, %i {num_segments = 5 : i64} : (tensor<1073741825xf32>, tensor<1073741825xi32>) -> tensor<5xf32>
}
