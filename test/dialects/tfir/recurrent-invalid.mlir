// What recurrent cells refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @lstm_cell_c1(%x: tensor<8xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'x' has type 'tensor<8xf32>', expected a matrix with a row for each example}}
  %0, %1 = tfir.lstm_cell %x, %h, %h, %w, %b : (tensor<8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c1_rows(%x: tensor<?x3xf32>, %c: tensor<8x4xf32>, %h: tensor<7x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'h' has type 'tensor<7x4xf32>', but 8 rows are in the operands before it}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b : (tensor<?x3xf32>, tensor<8x4xf32>, tensor<7x4xf32>, tensor<7x16xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c2(%x: tensor<8x3xf32>, %c: tensor<8x5xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{the states 'c' and 'h' have 5 and 4 units, expected one number}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b : (tensor<8x3xf32>, tensor<8x5xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c3(%x: tensor<8x3xf32>, %h: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'w' has type 'tensor<4x16xf32>', expected 'tensor<7x16xf32>': rows for each column of 'x' and of 'h', and 4 columns per unit}}
  %0, %1 = tfir.lstm_cell %x, %h, %h, %w, %b : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x16xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c3_unknown(%x: tensor<8x?xf32>, %h: tensor<8x4xf32>, %w: tensor<7x12xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'w' has type 'tensor<7x12xf32>', expected 'tensor<?x16xf32>'}}
  %0, %1 = tfir.lstm_cell %x, %h, %h, %w, %b : (tensor<8x?xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x12xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c4(%x: tensor<8x3xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'b' has type 'tensor<4xf32>', expected 'tensor<16xf32>': 4 numbers per unit}}
  %0, %1 = tfir.lstm_cell %x, %h, %h, %w, %b : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c3_projected(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x2xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %p: tensor<4x2xf32>) {
  // expected-error @+1 {{'w' has type 'tensor<7x16xf32>', expected 'tensor<5x16xf32>': rows for each column of 'x' and of 'h'}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %p : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x2xf32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x2xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>)
}

// -----

tfir.graph @lstm_cell_c5(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %wf: tensor<4xf32>, %wo: tensor<4xf32>) {
  // expected-error @+1 {{'w_o_diag' is given without 'w_i_diag'; a cell with peepholes has 'w_f_diag', 'w_i_diag' and 'w_o_diag'}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %wf, %wo {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 1, 0>} : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c5_size(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %wf: tensor<4xf32>, %wi: tensor<3xf32>, %wo: tensor<4xf32>) {
  // expected-error @+1 {{'w_i_diag' has type 'tensor<3xf32>', expected 'tensor<4xf32>': one number per unit}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %wf, %wi, %wo : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c5_number(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %wf: tensor<4xf32>, %wo: tensor<4xf32>) {
  // expected-error @+1 {{'tfir.lstm_cell' op has 7 operands, expected 5, behind which 3 for peepholes and 1 for a projection may stand}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %wf, %wo : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c6(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x2xf32>, %w: tensor<5x16xf32>, %b: tensor<16xf32>, %p: tensor<4x3xf32>) {
  // expected-error @+1 {{'w_proj' has type 'tensor<4x3xf32>', expected 'tensor<4x2xf32>': a row per unit, that is for each column of 'c', and a column for each of 'h'}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %p : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x2xf32>, tensor<5x16xf32>, tensor<16xf32>, tensor<4x3xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>)
}

// -----

tfir.graph @lstm_cell_c6_rows(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x2xf32>, %w: tensor<5x16xf32>, %b: tensor<16xf32>, %p: tensor<2x4xf32>) {
  // expected-error @+1 {{'w_proj' has type 'tensor<2x4xf32>', expected 'tensor<4x2xf32>'}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %p : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x2xf32>, tensor<5x16xf32>, tensor<16xf32>, tensor<2x4xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>)
}

// -----

tfir.graph @lstm_cell_c7(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'cell_clip' is 0.000000e+00, expected more than 0}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b {cell_clip = 0.0 : f64} : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c7_nan(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>) {
  // expected-error @+1 {{'cell_clip' is nan, expected more than 0}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b {cell_clip = 0x7FF8000000000000 : f64} : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @lstm_cell_c8(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x2xf32>, %w: tensor<5x16xf32>, %b: tensor<16xf32>, %p: tensor<4x2xf32>) {
  // expected-error @+1 {{'proj_clip' is -1.000000e+00, expected more than 0}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %p {proj_clip = -1.0 : f64} : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x2xf32>, tensor<5x16xf32>, tensor<16xf32>, tensor<4x2xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>)
}

// -----

tfir.graph @lstm_cell_c8_nothing(%x: tensor<8x3xf32>, %c: tensor<8x4xf32>, %h: tensor<8x4xf32>, %w: tensor<7x16xf32>, %b: tensor<16xf32>, %wf: tensor<4xf32>, %wi: tensor<4xf32>, %wo: tensor<4xf32>) {
  // expected-error @+1 {{'proj_clip' bounds a projection, but there is no 'w_proj'}}
  %0, %1 = tfir.lstm_cell %x, %c, %h, %w, %b, %wf, %wi, %wo {proj_clip = 1.0 : f64} : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @gru_cell_c1(%x: tensor<8x3xf32>, %h: tensor<9x4xf32>, %gw: tensor<7x8xf32>, %gb: tensor<8xf32>, %cw: tensor<7x4xf32>, %cb: tensor<4xf32>) {
  // expected-error @+1 {{'h' has type 'tensor<9x4xf32>', but 8 rows are in the operands before it}}
  %0 = tfir.gru_cell %x, %h, %gw, %gb, %cw, %cb : (tensor<8x3xf32>, tensor<9x4xf32>, tensor<7x8xf32>, tensor<8xf32>, tensor<7x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @gru_cell_c2(%x: tensor<8x3xf32>, %h: tensor<8x4xf32>, %gw: tensor<7x12xf32>, %gb: tensor<8xf32>, %cw: tensor<7x4xf32>, %cb: tensor<4xf32>) {
  // expected-error @+1 {{'gate_w' has type 'tensor<7x12xf32>', expected 'tensor<7x8xf32>': rows for each column of 'x' and of 'h', and 2 columns per unit}}
  %0 = tfir.gru_cell %x, %h, %gw, %gb, %cw, %cb : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<7x12xf32>, tensor<8xf32>, tensor<7x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @gru_cell_c2_candidate(%x: tensor<8x3xf32>, %h: tensor<8x4xf32>, %gw: tensor<7x8xf32>, %gb: tensor<8xf32>, %cw: tensor<7x8xf32>, %cb: tensor<4xf32>) {
  // expected-error @+1 {{'cand_w' has type 'tensor<7x8xf32>', expected 'tensor<7x4xf32>': rows for each column of 'x' and of 'h', and one column per unit}}
  %0 = tfir.gru_cell %x, %h, %gw, %gb, %cw, %cb : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<7x8xf32>, tensor<8xf32>, tensor<7x8xf32>, tensor<4xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @gru_cell_c3(%x: tensor<8x3xf32>, %h: tensor<8x4xf32>, %gw: tensor<7x8xf32>, %gb: tensor<4xf32>, %cw: tensor<7x4xf32>, %cb: tensor<4xf32>) {
  // expected-error @+1 {{'gate_b' has type 'tensor<4xf32>', expected 'tensor<8xf32>': 2 numbers per unit}}
  %0 = tfir.gru_cell %x, %h, %gw, %gb, %cw, %cb : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<7x8xf32>, tensor<4xf32>, tensor<7x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @gru_cell_c3_candidate(%x: tensor<8x3xf32>, %h: tensor<8x4xf32>, %gw: tensor<7x8xf32>, %gb: tensor<8xf32>, %cw: tensor<7x4xf32>, %cb: tensor<8xf32>) {
  // expected-error @+1 {{'cand_b' has type 'tensor<8xf32>', expected 'tensor<4xf32>': one number per unit}}
  %0 = tfir.gru_cell %x, %h, %gw, %gb, %cw, %cb : (tensor<8x3xf32>, tensor<8x4xf32>, tensor<7x8xf32>, tensor<8xf32>, tensor<7x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
}
