// Transposed convolutions that cannot be.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @conv2d_transpose_c1(%a: tensor<1x8x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has the output_shape [8, 8, 4] and images of type 'tensor<1x8x8x6xf32>', expected images of rank 4 and 4 sizes >= 1, of which the first may be -1}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 8, 8, 4>} : (tensor<1x8x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c1_size(%a: tensor<1x8x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{expected images of rank 4 and 4 sizes >= 1}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, -1, 8, 4>} : (tensor<1x8x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c2(%a: tensor<1x8x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has images of type 'tensor<1x8x8x6xf32>', but a convolution of 'tensor<1x9x8x4xf32>' with 'tensor<3x3x4x6xf32>' gives 'tensor<1x9x8x6xf32>'}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, 9, 8, 4>} : (tensor<1x8x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x9x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c4(%a: tensor<1x8x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{data_format is 'X', expected "NHWC" or "NCHW"}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, 8, 8, 4>, data_format = "X"} : (tensor<1x8x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c3(%a: tensor<1x12x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has explicit_paddings of 3, 3, 1, 1 pixels, but a filter of type 'tensor<3x3x4x6xf32>'; each must be less than the filter's size}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, 8, 8, 4>, padding = "EXPLICIT", explicit_paddings = array<i64: 3, 3, 1, 1>} : (tensor<1x12x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c2_groups(%a: tensor<1x8x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{images have 4 channels, but the filter takes 4, which is not the number of each group}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, 8, 8, 4>, groups = 2} : (tensor<1x8x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c2_dilations(%a: tensor<1x8x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has images of type 'tensor<1x8x8x6xf32>', but a convolution of 'tensor<1x10x8x4xf32>' with 'tensor<3x3x4x6xf32>' gives 'tensor<1x6x6x6xf32>'}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, 10, 8, 4>, padding = "VALID", dilations = array<i64: 2, 1>} : (tensor<1x8x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x10x8x4xf32>
}

// -----

tfir.graph @conv2d_transpose_c3_dilations(%a: tensor<1x14x8x6xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has explicit_paddings of 5, 5, 1, 1 pixels, but a filter of type 'tensor<3x3x4x6xf32>'; each must be less than the filter's size}}
  %0 = tfir.conv2d_transpose %a, %b {output_shape = array<i64: 1, 8, 8, 4>, padding = "EXPLICIT", explicit_paddings = array<i64: 5, 5, 1, 1>, dilations = array<i64: 2, 1>} : (tensor<1x14x8x6xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @conv1d_transpose_c1(%a: tensor<1x8x6xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{has the output_shape [1, 8, 8, 4] and images of type 'tensor<1x8x6xf32>', expected images of rank 3 and 3 sizes >= 1, of which the first may be -1}}
  %0 = tfir.conv1d_transpose %a, %b {output_shape = array<i64: 1, 8, 8, 4>} : (tensor<1x8x6xf32>, tensor<3x4x6xf32>) -> tensor<1x8x4xf32>
}

// -----

tfir.graph @conv1d_transpose_c2(%a: tensor<1x8x6xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{has images of type 'tensor<1x8x6xf32>', but a convolution of 'tensor<1x8x4xf32>' with 'tensor<3x4x6xf32>' gives 'tensor<1x4x6xf32>'}}
  %0 = tfir.conv1d_transpose %a, %b {output_shape = array<i64: 1, 8, 4>, stride = 2} : (tensor<1x8x6xf32>, tensor<3x4x6xf32>) -> tensor<1x8x4xf32>
}

// -----

tfir.graph @conv1d_transpose_c3(%a: tensor<1x12x6xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{has explicit_paddings of 3, 3 pixels, but a filter of type 'tensor<3x4x6xf32>'; each must be less than the filter's size}}
  %0 = tfir.conv1d_transpose %a, %b {output_shape = array<i64: 1, 8, 4>, padding = "EXPLICIT", explicit_paddings = array<i64: 3, 3>} : (tensor<1x12x6xf32>, tensor<3x4x6xf32>) -> tensor<1x8x4xf32>
}

// -----

tfir.graph @conv1d_transpose_c4(%a: tensor<1x8x6xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{data_format is 'NHWC', expected "NWC" or "NCW"}}
  %0 = tfir.conv1d_transpose %a, %b {output_shape = array<i64: 1, 8, 4>, data_format = "NHWC"} : (tensor<1x8x6xf32>, tensor<3x4x6xf32>) -> tensor<1x8x4xf32>
}

// -----

tfir.graph @conv3d_transpose_c1(%a: tensor<1x4x8x8x2xf32>, %b: tensor<3x3x3x4x2xf32>) {
  // expected-error @+1 {{expected images of rank 5 and 5 sizes >= 1, of which the first may be -1}}
  %0 = tfir.conv3d_transpose %a, %b {output_shape = array<i64: 1, 4, 0, 8, 4>} : (tensor<1x4x8x8x2xf32>, tensor<3x3x3x4x2xf32>) -> tensor<1x4x0x8x4xf32>
}

// -----

tfir.graph @conv3d_transpose_c2(%a: tensor<1x4x8x8x2xf32>, %b: tensor<3x3x3x4x2xf32>) {
  // expected-error @+1 {{expects three strides >= 1}}
  %0 = tfir.conv3d_transpose %a, %b {output_shape = array<i64: 1, 4, 8, 8, 4>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8x2xf32>, tensor<3x3x3x4x2xf32>) -> tensor<1x4x8x8x4xf32>
}

// -----

tfir.graph @conv3d_transpose_c3(%a: tensor<1x8x8x8x2xf32>, %b: tensor<3x3x3x4x2xf32>) {
  // expected-error @+1 {{has explicit_paddings of 3, 3, 1, 1, 1, 1 pixels}}
  %0 = tfir.conv3d_transpose %a, %b {output_shape = array<i64: 1, 4, 8, 8, 4>, padding = "EXPLICIT", explicit_paddings = array<i64: 3, 3, 1, 1, 1, 1>} : (tensor<1x8x8x8x2xf32>, tensor<3x3x3x4x2xf32>) -> tensor<1x4x8x8x4xf32>
}

// -----

tfir.graph @conv3d_transpose_c4(%a: tensor<1x4x8x8x2xf32>, %b: tensor<3x3x3x4x2xf32>) {
  // expected-error @+1 {{data_format is 'NCHW', expected "NDHWC" or "NCDHW"}}
  %0 = tfir.conv3d_transpose %a, %b {output_shape = array<i64: 1, 4, 8, 8, 4>, data_format = "NCHW"} : (tensor<1x4x8x8x2xf32>, tensor<3x3x3x4x2xf32>) -> tensor<1x4x8x8x4xf32>
}
