// What ops that arrange elements refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @strided_block_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 begins, 1 sizes and 2 strides for 1 dimensions, expected one of each}}
  %0 = tfir.strided_block %x {begin = [0], size = [2], strides = [2, 1]} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @strided_block_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{takes 2 elements with a stride of 0, expected no negative size, and another stride than 0}}
  %0 = tfir.strided_block %x {begin = [0], size = [2], strides = [0]} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @strided_block_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 3 places from 0 on with a stride of 2 along a dimension of 4; they must lie inside}}
  %0 = tfir.strided_block %x {begin = [0], size = [3], strides = [2]} : (tensor<4xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @strided_block_c3_before(%x: tensor<?xf32>) {
  // expected-error @+1 {{has 3 places from 1 on with a stride of -1 along a dimension of ?; they must lie inside}}
  %0 = tfir.strided_block %x {begin = [1], size = [3], strides = [-1]} : (tensor<?xf32>) -> tensor<3xf32>
}

// -----

tfir.graph @place_block_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has the sizes of 2 dimensions, expected 1 as in 'tensor<4xf32>'}}
  %0 = tfir.place_block %x {dims = [9, 9], begin = [0], strides = [2]} : (tensor<4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @place_block_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{has a dimension of size -1, expected no negative size}}
  %0 = tfir.place_block %x {dims = [-1], begin = [0], strides = [2]} : (tensor<4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @place_block_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 4 places from 3 on with a stride of 2 along a dimension of 9; they must lie inside}}
  %0 = tfir.place_block %x {dims = [9], begin = [3], strides = [2]} : (tensor<4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @place_block_c4(%x: tensor<4xui8>) {
  // expected-error @+1 {{'value' is -1.000000e+00, which is no number of the element type 'ui8'}}
  %0 = tfir.place_block %x {dims = [9], begin = [0], strides = [2], value = -1.0} : (tensor<4xui8>) -> tensor<9xui8>
}

// -----

tfir.graph @expand_dims_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the result; axes count from 0, or from -1 at the end}}
  %0 = tfir.expand_dims %x {axis = 2} : (tensor<4xf32>) -> tensor<4x1xf32>
}

// -----

tfir.graph @squeeze_c1(%x: tensor<1x4xf32>) {
  // expected-error @+1 {{names axis -2 twice; name it once}}
  %0 = tfir.squeeze %x {axis = [0, -2]} : (tensor<1x4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @squeeze_c2(%x: tensor<1x4xf32>) {
  // expected-error @+1 {{drops dimension 1 of 'tensor<1x4xf32>', whose size is not 1}}
  %0 = tfir.squeeze %x {axis = [1]} : (tensor<1x4xf32>) -> tensor<1xf32>
}

// -----

tfir.graph @squeeze_c3(%x: tensor<?x1xf32>) {
  // expected-error @+1 {{drops all dimensions of size 1 of 'tensor<?x1xf32>', some of which are not known; name them by axis}}
  %0 = tfir.squeeze %x : (tensor<?x1xf32>) -> tensor<?xf32>
}

// -----

tfir.graph @pad_c1(%x: tensor<1x4xf32>) {
  // expected-error @+1 {{has 2 paddings for 'tensor<1x4xf32>', expected two per dimension, before it and after it, none negative}}
  %0 = tfir.pad %x {paddings = [1, 1]} : (tensor<1x4xf32>) -> tensor<3x6xf32>
}

// -----

tfir.graph @pad_c1_negative(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 paddings for 'tensor<4xf32>', expected two per dimension, before it and after it, none negative}}
  %0 = tfir.pad %x {paddings = [-1, 1]} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @pad_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{the mode is 'WRAP', expected 'CONSTANT', 'REFLECT', 'SYMMETRIC' or 'EDGE'}}
  %0 = tfir.pad %x {paddings = [1, 1], mode = "WRAP"} : (tensor<4xf32>) -> tensor<6xf32>
}

// -----

tfir.graph @pad_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{pads dimension 0 of 'tensor<4xf32>' by 4, at most 3 are possible with the mode 'reflect'}}
  %0 = tfir.pad %x {paddings = [1, 4], mode = "reflect"} : (tensor<4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @pad_c3_symmetric(%x: tensor<4xf32>) {
  // expected-error @+1 {{pads dimension 0 of 'tensor<4xf32>' by 5, at most 4 are possible with the mode 'SYMMETRIC'}}
  %0 = tfir.pad %x {paddings = [5, 0], mode = "SYMMETRIC"} : (tensor<4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @pad_c3_edge(%x: tensor<0xf32>) {
  // expected-error @+1 {{pads dimension 0 of 'tensor<0xf32>' by 1, at most 0 are possible with the mode 'EDGE'}}
  %0 = tfir.pad %x {paddings = [0, 1], mode = "EDGE"} : (tensor<0xf32>) -> tensor<1xf32>
}

// -----

tfir.graph @pad_large(%x: tensor<4xf32>) {
  // expected-error @+1 {{makes dimension 0 larger than 2^63 - 1}}
  %0 = tfir.pad %x {paddings = [0, 9223372036854775807]} : (tensor<4xf32>) -> tensor<9xf32>
}

// -----

tfir.graph @pad_c4(%x: tensor<4xi32>) {
  // expected-error @+1 {{'constant_values' is 5.000000e-01, which is no number of the element type 'i32'}}
  %0 = tfir.pad %x {paddings = [0, 1], constant_values = 0.5} : (tensor<4xi32>) -> tensor<5xi32>
}

// -----

tfir.graph @tile_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 multiples for 'tensor<4xf32>', expected one per dimension, none negative}}
  %0 = tfir.tile %x {multiples = [1, 2]} : (tensor<4xf32>) -> tensor<8xf32>
}

// -----

tfir.graph @tile_large(%x: tensor<4xf32>) {
  // expected-error @+1 {{makes a dimension larger than 2^63 - 1}}
  %0 = tfir.tile %x {multiples = [9223372036854775807]} : (tensor<4xf32>) -> tensor<8xf32>
}

// -----

tfir.graph @reverse_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand; axes count from 0, or from -1 at the end}}
  %0 = tfir.reverse %x {axis = [1]} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @roll_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 shifts for 1 axes, expected one for each}}
  %0 = tfir.roll %x {shift = [1, 2], axis = [0]} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @roll_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis -2 is outside [-1, 1) of the operand; axes count from 0, or from -1 at the end}}
  %0 = tfir.roll %x {shift = [1], axis = [-2]} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @stack_c1_none() {
  // expected-error @+1 {{has no operand; give it at least one}}
  %0 = tfir.stack : () -> tensor<4xf32>
}

// -----

tfir.graph @stack_c1(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{operands have the types 'tensor<4xf32>' and 'tensor<4xi32>', expected one type}}
  %0 = tfir.stack %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<2x4xf32>
}

// -----

tfir.graph @stack_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis -3 is outside [-2, 2) of the result; axes count from 0, or from -1 at the end}}
  %0 = tfir.stack %x {axis = -3} : (tensor<4xf32>) -> tensor<1x4xf32>
}

// -----

tfir.graph @unstack_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand; axes count from 0, or from -1 at the end}}
  %0, %1 = tfir.unstack %x {axis = 1} : (tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
}

// -----

tfir.graph @unstack_c2(%x: tensor<3xf32>) {
  // expected-error @+1 {{has 2 results, expected 3, one for each place of dimension 0 of 'tensor<3xf32>'}}
  %0, %1 = tfir.unstack %x : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
}

// -----

tfir.graph @unstack_c2_num(%x: tensor<?xf32>) {
  // expected-error @+1 {{has 2 results, expected 3, one for each place of dimension 0 of 'tensor<?xf32>'}}
  %0, %1 = tfir.unstack %x {num = 3} : (tensor<?xf32>) -> (tensor<f32>, tensor<f32>)
}

// -----

tfir.graph @split_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 1 is outside [-1, 1) of the operand; axes count from 0, or from -1 at the end}}
  %0 = tfir.split %x {axis = 1} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @split_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{has num_split and size_splits; give one of them}}
  %0 = tfir.split %x {num_split = 1, size_splits = [4]} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @split_c2_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 results, expected 2, one for each part}}
  %0 = tfir.split %x {num_split = 2} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @split_c3(%x: tensor<5xf32>) {
  // expected-error @+1 {{cannot divide dimension 0 of 'tensor<5xf32>' into 2 equal parts; give size_splits}}
  %0, %1 = tfir.split %x : (tensor<5xf32>) -> (tensor<2xf32>, tensor<3xf32>)
}

// -----

tfir.graph @split_c4(%x: tensor<5xf32>) {
  // expected-error @+1 {{the sizes of the parts add up to 4, expected 5 as in dimension 0 of 'tensor<5xf32>'; one may be -1 for what is left}}
  %0, %1 = tfir.split %x {size_splits = [2, 2]} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>)
}

// -----

tfir.graph @split_c4_two(%x: tensor<5xf32>) {
  // expected-error @+1 {{the sizes of the parts add up to 0, expected 5 as in dimension 0 of 'tensor<5xf32>'; one may be -1 for what is left}}
  %0, %1 = tfir.split %x {size_splits = [-1, -1]} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>)
}

// -----

tfir.graph @fill_c1(%x: tensor<f32>) {
  // expected-error @+1 {{has a dimension of negative size}}
  %0 = tfir.fill %x {dims = [-1]} : (tensor<f32>) -> tensor<1xf32>
}

// -----

tfir.graph @fill_c2(%x: tensor<1xf32>) {
  // expected-error @+1 {{the value has the type 'tensor<1xf32>', expected a scalar; tfir.broadcast_to repeats tensors}}
  %0 = tfir.fill %x {dims = [2]} : (tensor<1xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @strided_slice_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 begins, 2 ends and 1 strides, expected one of each per entry}}
  %0 = tfir.strided_slice %x {begin = [0], end = [2, 2]} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @strided_slice_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{stride 0 is 0, expected another number}}
  %0 = tfir.strided_slice %x {begin = [0], end = [2], strides = [0]} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @strided_slice_c2_single(%x: tensor<4xf32>) {
  // expected-error @+1 {{stride 0 is -1, expected a positive one where the dimension is dropped}}
  %0 = tfir.strided_slice %x {begin = [0], end = [1], strides = [-1], shrink_axis_mask = 1}
      : (tensor<4xf32>) -> tensor<f32>
}

// -----

tfir.graph @strided_slice_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 0 ellipses and 2 entries for the dimensions of 'tensor<4xf32>', expected one ellipsis and 1 entries at most}}
  %0 = tfir.strided_slice %x {begin = [0, 0], end = [2, 2]} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @strided_slice_c3_ellipses(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 ellipses and 0 entries for the dimensions of 'tensor<4xf32>', expected one ellipsis and 1 entries at most}}
  %0 = tfir.strided_slice %x {begin = [0, 0], end = [2, 2], ellipsis_mask = 3} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @strided_slice_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{place -5 does not exist in dimension 0 of 'tensor<4xf32>'}}
  %0 = tfir.strided_slice %x {begin = [-5], end = [2], shrink_axis_mask = 1} : (tensor<4xf32>) -> tensor<f32>
}
