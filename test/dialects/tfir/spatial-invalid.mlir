// What ops on images, blocks of pixels and sequences refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @space_to_depth_c1(%x: tensor<4x6x3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<4x6x3xf32>', expected four dimensions, NHWC}}
  %0 = tfir.space_to_depth %x {block_size = 2} : (tensor<4x6x3xf32>) -> tensor<2x3x12xf32>
}

// -----

tfir.graph @space_to_depth_c2(%x: tensor<1x4x5x3xf32>) {
  // expected-error @+1 {{cannot divide 'tensor<1x4x5x3xf32>' into squares of 2 pixels; pad it with tfir.pad}}
  %0 = tfir.space_to_depth %x {block_size = 2} : (tensor<1x4x5x3xf32>) -> tensor<1x2x3x12xf32>
}

// -----

tfir.graph @space_to_depth_c2_zero(%x: tensor<1x4x5x3xf32>) {
  // expected-error @+1 {{has blocks of size 0, expected 1 to 2^20}}
  %0 = tfir.space_to_depth %x {block_size = 0} : (tensor<1x4x5x3xf32>) -> tensor<1x2x3x12xf32>
}

// -----

tfir.graph @depth_to_space_c1(%x: tensor<4x6x4xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<4x6x4xf32>', expected four dimensions, NHWC}}
  %0 = tfir.depth_to_space %x {block_size = 2} : (tensor<4x6x4xf32>) -> tensor<8x12x1xf32>
}

// -----

tfir.graph @depth_to_space_c2(%x: tensor<1x4x5x3xf32>) {
  // expected-error @+1 {{cannot divide the channels of 'tensor<1x4x5x3xf32>' into squares of 2 pixels}}
  %0 = tfir.depth_to_space %x {block_size = 2} : (tensor<1x4x5x3xf32>) -> tensor<1x8x10x1xf32>
}

// -----

tfir.graph @space_to_batch_c1(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<4x6xf32>', expected a batch and 2 dimensions as in block_shape}}
  %0 = tfir.space_to_batch %x {block_shape = [2, 2], paddings = [0, 0, 0, 0]} : (tensor<4x6xf32>) -> tensor<16x3xf32>
}

// -----

tfir.graph @space_to_batch_c2(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{has 1 paddings for 1 dimensions, expected two for each, none negative}}
  %0 = tfir.space_to_batch %x {block_shape = [2], paddings = [0]} : (tensor<4x6xf32>) -> tensor<8x3xf32>
}

// -----

tfir.graph @space_to_batch_c2_zero(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{has blocks of size 0, expected 1 to 2^20}}
  %0 = tfir.space_to_batch %x {block_shape = [0], paddings = [0, 0]} : (tensor<4x6xf32>) -> tensor<8x3xf32>
}

// -----

tfir.graph @space_to_batch_c3(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{cannot divide dimension 1 of 'tensor<4x6xf32>', padded, into blocks of 2}}
  %0 = tfir.space_to_batch %x {block_shape = [2], paddings = [0, 1]} : (tensor<4x6xf32>) -> tensor<8x3xf32>
}

// -----

tfir.graph @batch_to_space_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<4xf32>', expected a batch and 1 dimensions as in block_shape}}
  %0 = tfir.batch_to_space %x {block_shape = [2], crops = [0, 0]} : (tensor<4xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @batch_to_space_c2(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{has 2 crops for 1 dimensions, expected two for each, none negative}}
  %0 = tfir.batch_to_space %x {block_shape = [2], crops = [0, -1]} : (tensor<4x6xf32>) -> tensor<2x12xf32>
}

// -----

tfir.graph @batch_to_space_c3(%x: tensor<3x6xf32>) {
  // expected-error @+1 {{cannot divide the batch of 'tensor<3x6xf32>' into 2 parts}}
  %0 = tfir.batch_to_space %x {block_shape = [2], crops = [0, 0]} : (tensor<3x6xf32>) -> tensor<2x12xf32>
}

// -----

tfir.graph @batch_to_space_c3_crops(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{crops 5 places of dimension 1, which has 4}}
  %0 = tfir.batch_to_space %x {block_shape = [2], crops = [2, 3]} : (tensor<4x2xf32>) -> tensor<2x0xf32>
}

// -----

tfir.graph @extract_patches_c1(%x: tensor<5x5x2xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<5x5x2xf32>', expected four dimensions, NHWC}}
  %0 = tfir.extract_patches %x {ksizes = [3, 3], strides = [1, 1]} : (tensor<5x5x2xf32>) -> tensor<5x5x18xf32>
}

// -----

tfir.graph @extract_patches_c2(%x: tensor<1x5x5x2xf32>) {
  // expected-error @+1 {{has ksizes, strides or rates other than two numbers from 1 to 4096}}
  %0 = tfir.extract_patches %x {ksizes = [3, 3], strides = [0, 1]} : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x18xf32>
}

// -----

tfir.graph @extract_patches_c3(%x: tensor<1x5x5x2xf32>) {
  // expected-error @+1 {{the padding is 'FULL', expected 'SAME' or 'VALID'}}
  %0 = tfir.extract_patches %x {ksizes = [3, 3], strides = [1, 1], padding = "FULL"} : (tensor<1x5x5x2xf32>) -> tensor<1x5x5x18xf32>
}

// -----

tfir.graph @flip_left_right_c1(%x: tensor<5x5xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<5x5xf32>', expected three dimensions, HWC, or four, NHWC}}
  %0 = tfir.flip_left_right %x : (tensor<5x5xf32>) -> tensor<5x5xf32>
}

// -----

tfir.graph @flip_up_down_c1(%x: tensor<5x5xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<5x5xf32>', expected three dimensions, HWC, or four, NHWC}}
  %0 = tfir.flip_up_down %x : (tensor<5x5xf32>) -> tensor<5x5xf32>
}

// -----

tfir.graph @rgb_to_grayscale_c1(%x: tensor<5x3xi32>) {
  // expected-error @+1 {{the operand has the type 'tensor<5x3xi32>', expected floats or ui8; cast it with tfir.cast}}
  %0 = tfir.rgb_to_grayscale %x : (tensor<5x3xi32>) -> tensor<5x1xi32>
}

// -----

tfir.graph @rgb_to_grayscale_c2(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<5x4xf32>', expected red, green and blue in the last dimension}}
  %0 = tfir.rgb_to_grayscale %x : (tensor<5x4xf32>) -> tensor<5x1xf32>
}

// -----

tfir.graph @resample_c1(%x: tensor<5x4xf32>, %w: tensor<8x2xf32>, %s: tensor<8xi32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the operand; axes count from 0, or from -1 at the end}}
  %0 = tfir.resample %x, %w, %s {axis = 2} : (tensor<5x4xf32>, tensor<8x2xf32>, tensor<8xi32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @resample_c1_empty(%x: tensor<0x4xf32>, %w: tensor<8x2xf32>, %s: tensor<8xi32>) {
  // expected-error @+1 {{reads dimension 0 of 'tensor<0x4xf32>', which is empty}}
  %0 = tfir.resample %x, %w, %s {axis = 0} : (tensor<0x4xf32>, tensor<8x2xf32>, tensor<8xi32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @resample_c2(%x: tensor<5x4xf32>, %w: tensor<8x2xf32>, %s: tensor<7xi32>) {
  // expected-error @+1 {{has starts of type 'tensor<7xi32>' for 8 rows of weights}}
  %0 = tfir.resample %x, %w, %s {axis = 0} : (tensor<5x4xf32>, tensor<8x2xf32>, tensor<7xi32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @resample_c3(%x: tensor<5x4xf32>, %w: tensor<8x33xf32>, %s: tensor<8xi32>) {
  // expected-error @+1 {{has weights of type 'tensor<8x33xf32>', expected rows of 1 to 32 of the element type 'f32'}}
  %0 = tfir.resample %x, %w, %s {axis = 0} : (tensor<5x4xf32>, tensor<8x33xf32>, tensor<8xi32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @resize_nearest_c1(%x: tensor<5x4xf32>) {
  // expected-error @+1 {{the images have the type 'tensor<5x4xf32>', expected three dimensions, HWC, or four, NHWC, with pixels}}
  %0 = tfir.resize_nearest %x {size = [2, 2]} : (tensor<5x4xf32>) -> tensor<2x2xf32>
}

// -----

tfir.graph @resize_bilinear_c1(%x: tensor<5x0x1xf32>) {
  // expected-error @+1 {{the images have the type 'tensor<5x0x1xf32>', expected three dimensions, HWC, or four, NHWC, with pixels}}
  %0 = tfir.resize_bilinear %x {size = [2, 2]} : (tensor<5x0x1xf32>) -> tensor<2x2x1xf32>
}

// -----

tfir.graph @resize_bicubic_c2(%x: tensor<5x4x1xf32>) {
  // expected-error @+1 {{the size must be a height and a width from 1 to 2^24}}
  %0 = tfir.resize_bicubic %x {size = [2, 0]} : (tensor<5x4x1xf32>) -> tensor<2x2x1xf32>
}

// -----

tfir.graph @resize_bilinear_c3(%x: tensor<5x4x1xf32>) {
  // expected-error @+1 {{has align_corners and half_pixel_centers; leave one of them out}}
  %0 = tfir.resize_bilinear %x {size = [2, 2], align_corners, half_pixel_centers} : (tensor<5x4x1xf32>) -> tensor<2x2x1xf32>
}

// -----

tfir.graph @reverse_sequence_c1(%x: tensor<5x4xf32>, %n: tensor<5xi32>) {
  // expected-error @+1 {{axis 2 is outside [-2, 2) of the operand; axes count from 0, or from -1 at the end}}
  %0 = tfir.reverse_sequence %x, %n {seq_axis = 2} : (tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
}

// -----

tfir.graph @reverse_sequence_c1_same(%x: tensor<5x4xf32>, %n: tensor<5xi32>) {
  // expected-error @+1 {{has axis 0 for sequences and batch, expected two}}
  %0 = tfir.reverse_sequence %x, %n {seq_axis = -2} : (tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
}

// -----

tfir.graph @reverse_sequence_c2(%x: tensor<5x4xf32>, %n: tensor<4xi32>) {
  // expected-error @+1 {{has lengths of type 'tensor<4xi32>', expected one for each place of dimension 0 of 'tensor<5x4xf32>'}}
  %0 = tfir.reverse_sequence %x, %n {seq_axis = 1} : (tensor<5x4xf32>, tensor<4xi32>) -> tensor<5x4xf32>
}
