// What convolutions, pools, layers and losses refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @conv2d_c1(%x: tensor<8x8x3xf32>, %f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{expects images NHWC and a filter HWIO of rank 4}}
  %0 = tfir.conv2d %x, %f : (tensor<8x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<8x8x2xf32>
}

// -----

tfir.graph @conv2d_c1_channels(%x: tensor<1x8x8x4xf32>, %f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{images have 4 channels, but the filter takes 3}}
  %0 = tfir.conv2d %x, %f : (tensor<1x8x8x4xf32>, tensor<3x3x3x2xf32>) -> tensor<1x8x8x2xf32>
}

// -----

tfir.graph @conv2d_c2(%x: tensor<1x8x8x3xf32>, %f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{padding is 'same', expected "SAME" or "VALID"}}
  %0 = tfir.conv2d %x, %f {padding = "same"} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x8x8x2xf32>
}

// -----

tfir.graph @conv2d_c3(%x: tensor<1x8x8x3xf32>, %f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{expects two strides >= 1}}
  %0 = tfir.conv2d %x, %f {strides = array<i64: 0, 1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x8x8x2xf32>
}

// -----

tfir.graph @conv2d_long_stride(%x: tensor<1x8x8x3xf32>, %f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{has a window size or stride of 9223372036854775807, expected at most 2147483647}}
  %0 = tfir.conv2d %x, %f {strides = array<i64: 9223372036854775807, 1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x1x8x2xf32>
}

// -----

tfir.graph @conv2d_c4(%x: tensor<1x2x8x3xf32>, %f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{a filter of size 3 does not fit into an image of size 2}}
  %0 = tfir.conv2d %x, %f {padding = "VALID"} : (tensor<1x2x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x1x6x2xf32>
}

// -----

tfir.graph @conv2d_backprop_input_c1(%f: tensor<3x3x3x2xf32>, %dy: tensor<1x8x8x2xf32>) {
  // expected-error @+1 {{out_backprop has type 'tensor<1x8x8x2xf32>', but the convolution of 'tensor<1x9x8x3xf32>' with 'tensor<3x3x3x2xf32>' gives 'tensor<1x9x8x2xf32>'}}
  %0 = tfir.conv2d_backprop_input %f, %dy : (tensor<3x3x3x2xf32>, tensor<1x8x8x2xf32>) -> tensor<1x9x8x3xf32>
}

// -----

tfir.graph @conv2d_backprop_filter_c1(%x: tensor<1x8x8x3xf32>, %dy: tensor<1x8x8x2xf32>) {
  // expected-error @+1 {{but the convolution of 'tensor<1x8x8x3xf32>' with 'tensor<3x3x3x4xf32>' gives 'tensor<1x8x8x4xf32>'}}
  %0 = tfir.conv2d_backprop_filter %x, %dy : (tensor<1x8x8x3xf32>, tensor<1x8x8x2xf32>) -> tensor<3x3x3x4xf32>
}

// -----

tfir.graph @prepare_filter_c1(%f: tensor<3x3x3x2xf32>) {
  // expected-error @+1 {{cannot prepare 'tensor<3x3x3x2xf32>' as 'tensor<3x3x3x2xf32>'}}
  %0 = tfir.prepare_filter %f : (tensor<3x3x3x2xf32>) -> tensor<3x3x3x2xf32>
}

// -----

tfir.graph @conv2d_prepared_backprop_input_c1(%p: tensor<3x3x2x3xf32>, %dy: tensor<1x8x8x2xf32>) {
  // expected-error @+1 {{but the convolution of 'tensor<1x9x8x3xf32>' with 'tensor<3x3x3x2xf32>' gives 'tensor<1x9x8x2xf32>'}}
  %0 = tfir.conv2d_prepared_backprop_input %p, %dy : (tensor<3x3x2x3xf32>, tensor<1x8x8x2xf32>) -> tensor<1x9x8x3xf32>
}

// -----

tfir.graph @conv2d_prepared_backprop_input_rank(%p: tensor<3x3xf32>, %dy: tensor<1x8x8x2xf32>) {
  // expected-error @+1 {{rank}}
  %0 = tfir.conv2d_prepared_backprop_input %p, %dy : (tensor<3x3xf32>, tensor<1x8x8x2xf32>) -> tensor<1x9x8x3xf32>
}

// -----

tfir.graph @conv2d_filter_partials_c1(%x: tensor<1x8x8x3xf32>, %dy: tensor<1x8x8x2xf32>) {
  // expected-error @+1 {{gives parts of rank 5, not 'tensor<3x3x3x2xf32>'}}
  %0 = tfir.conv2d_filter_partials %x, %dy : (tensor<1x8x8x3xf32>, tensor<1x8x8x2xf32>) -> tensor<3x3x3x2xf32>
}

// -----

tfir.graph @max_pool_c1(%x: tensor<4x4x8xf32>) {
  // expected-error @+1 {{expects images NHWC of rank 4, not 'tensor<4x4x8xf32>'}}
  %0 = tfir.max_pool %x {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<4x4x8xf32>) -> tensor<2x2x8xf32>
}

// -----

tfir.graph @max_pool_c2(%x: tensor<1x4x4x8xf32>) {
  // expected-error @+1 {{expects two sizes and two strides >= 1}}
  %0 = tfir.max_pool %x {ksize = array<i64: 2>, strides = array<i64: 2, 2>} : (tensor<1x4x4x8xf32>) -> tensor<1x2x2x8xf32>
}

// -----

tfir.graph @max_pool_long_window(%x: tensor<1x4x4x8xf32>) {
  // expected-error @+1 {{has a window size or stride of 2147483648, expected at most 2147483647}}
  %0 = tfir.max_pool %x {ksize = array<i64: 2, 2147483648>, strides = array<i64: 2, 2>} : (tensor<1x4x4x8xf32>) -> tensor<1x2x2x8xf32>
}

// -----

tfir.graph @avg_pool_c2_padding(%x: tensor<1x4x4x8xf32>) {
  // expected-error @+1 {{padding is 'FULL', expected "SAME" or "VALID"}}
  %0 = tfir.avg_pool %x {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "FULL"} : (tensor<1x4x4x8xf32>) -> tensor<1x2x2x8xf32>
}

// -----

tfir.graph @avg_pool_c2_window(%x: tensor<1x4x4x8xf32>) {
  // expected-error @+1 {{a window of size 5 does not fit into an image of size 4}}
  %0 = tfir.avg_pool %x {ksize = array<i64: 5, 2>, strides = array<i64: 1, 1>, padding = "VALID"} : (tensor<1x4x4x8xf32>) -> tensor<1x1x3x8xf32>
}

// -----

tfir.graph @max_pool_grad_c1(%x: tensor<1x4x4x8xf32>, %y: tensor<1x2x2x8xf32>, %dy: tensor<1x4x2x8xf32>) {
  // expected-error @+1 {{output and gradient have the types 'tensor<1x2x2x8xf32>' and 'tensor<1x4x2x8xf32>'}}
  %0 = tfir.max_pool_grad %x, %y, %dy {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x4x4x8xf32>, tensor<1x2x2x8xf32>, tensor<1x4x2x8xf32>) -> tensor<1x4x4x8xf32>
}

// -----

tfir.graph @avg_pool_grad_c1(%dy: tensor<1x2x2x8xf32>) {
  // expected-error @+1 {{but the pool of 'tensor<1x8x4x8xf32>' gives 'tensor<1x4x2x8xf32>'}}
  %0 = tfir.avg_pool_grad %dy {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x2x8xf32>) -> tensor<1x8x4x8xf32>
}

// -----

tfir.graph @bias_add_c1(%x: tensor<8x4xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{bias of type 'tensor<8xf32>' is not a vector for the last dimension of 'tensor<8x4xf32>'}}
  %0 = tfir.bias_add %x, %b : (tensor<8x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @dropout_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{keep_prob is 0.000000e+00, expected (0, 1]}}
  %0 = tfir.dropout %x {keep_prob = 0.0} : (tensor<8xf32>) -> tensor<8xf32>
}

// -----

tfir.graph @softmax_c1(%x: tensor<f32>) {
  // expected-error @+1 {{expects at least one dimension}}
  %0 = tfir.softmax %x : (tensor<f32>) -> tensor<f32>
}

// -----

tfir.graph @softmax_cross_entropy_c1(%x: tensor<8x4xf32>, %y: tensor<8x5xf32>) {
  // expected-error @+1 {{logits of type 'tensor<8x4xf32>' and labels of type 'tensor<8x5xf32>' are not matrices of the same shape}}
  %0:2 = tfir.softmax_cross_entropy_with_logits %x, %y : (tensor<8x4xf32>, tensor<8x5xf32>) -> (tensor<8xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @sparse_softmax_cross_entropy_c1(%x: tensor<8x4xf32>, %y: tensor<7xi32>) {
  // expected-error @+1 {{logits of type 'tensor<8x4xf32>' and labels of type 'tensor<7xi32>' are not a matrix and one label for each row}}
  %0:2 = tfir.sparse_softmax_cross_entropy_with_logits %x, %y : (tensor<8x4xf32>, tensor<7xi32>) -> (tensor<8xf32>, tensor<8x4xf32>)
}

// -----

tfir.graph @conv2d_c9(%x: tensor<1x4x4x2xi8>, %f: tensor<3x3x2x2xf32>) {
  // expected-error @+1 {{images and filter have the element types 'i8' and 'f32'; cast one of them with tfir.cast}}
  %0 = tfir.conv2d %x, %f : (tensor<1x4x4x2xi8>, tensor<3x3x2x2xf32>) -> tensor<1x4x4x2xi8>
}
