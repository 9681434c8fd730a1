// What convolutions and pools of all kinds refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @conv2d_c5_not_explicit(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has explicit_paddings, which padding 'SAME' does not use; make it "EXPLICIT"}}
  %0 = tfir.conv2d %a, %b {explicit_paddings = array<i64: 1, 1, 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c5_count(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has 2 explicit_paddings, expected 4 numbers >= 0: pixels before and after, for each dimension}}
  %0 = tfir.conv2d %a, %b {padding = "EXPLICIT", explicit_paddings = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c5_negative(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has 4 explicit_paddings, expected 4 numbers >= 0}}
  %0 = tfir.conv2d %a, %b {padding = "EXPLICIT", explicit_paddings = array<i64: 1, 1, -1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c5_missing(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has 0 explicit_paddings, expected 4 numbers}}
  %0 = tfir.conv2d %a, %b {padding = "EXPLICIT"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c4_explicit(%a: tensor<1x1x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{a filter of size 3 does not fit into an image of size 1 with 0 and 1 pixels of padding}}
  %0 = tfir.conv2d %a, %b {padding = "EXPLICIT", explicit_paddings = array<i64: 0, 1, 1, 1>} : (tensor<1x1x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c4_dilated(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{a filter of size 9 does not fit into an image of size 8}}
  %0 = tfir.conv2d %a, %b {padding = "VALID", dilations = array<i64: 4, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c6(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{expects two dilations >= 1}}
  %0 = tfir.conv2d %a, %b {dilations = array<i64: 0, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c6_count(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{expects two dilations >= 1}}
  %0 = tfir.conv2d %a, %b {dilations = array<i64: 2>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c6_long(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has a window size or stride of 4294967296, expected at most 2147483647}}
  %0 = tfir.conv2d %a, %b {dilations = array<i64: 4294967296, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c7(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has 3 groups, which do not divide the 4 channels of the images and the 6 of the result; make groups a divisor of both}}
  %0 = tfir.conv2d %a, %b {groups = 3} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c7_result(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x1x6xf32>) {
  // expected-error @+1 {{has 4 groups, which do not divide the 4 channels of the images and the 6 of the result}}
  %0 = tfir.conv2d %a, %b {groups = 4} : (tensor<1x8x8x4xf32>, tensor<3x3x1x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c7_zero(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has 0 groups}}
  %0 = tfir.conv2d %a, %b {groups = 0} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c7_filter(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{images have 4 channels, but the filter takes 4, which is not the number of each group}}
  %0 = tfir.conv2d %a, %b {groups = 2} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_c8(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{data_format is 'NWHC', expected "NHWC" or "NCHW"}}
  %0 = tfir.conv2d %a, %b {data_format = "NWHC"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv2d_backprop_input_explicit(%a: tensor<3x3x4x6xf32>, %b: tensor<1x8x8x6xf32>) {
  // expected-error @+1 {{but the convolution of 'tensor<1x9x8x4xf32>' with 'tensor<3x3x4x6xf32>' gives 'tensor<1x9x8x6xf32>'}}
  %0 = tfir.conv2d_backprop_input %a, %b {padding = "EXPLICIT", explicit_paddings = array<i64: 1, 1, 1, 1>} : (tensor<3x3x4x6xf32>, tensor<1x8x8x6xf32>) -> tensor<1x9x8x4xf32>
}

// -----

tfir.graph @bias_add_c1_first(%a: tensor<1x8x8x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias of type 'tensor<4xf32>' is not a vector for dimension 1 of 'tensor<1x8x8x4xf32>'}}
  %0 = tfir.bias_add %a, %b {data_format = "NCHW"} : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @bias_add_c1_first_rank(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{is not a vector for dimension 1 of 'tensor<4xf32>'}}
  %0 = tfir.bias_add %a, %b {data_format = "NCHW"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----

tfir.graph @bias_add_c2(%a: tensor<1x8x8x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{data_format is 'NC', expected "NHWC" or "NCHW"}}
  %0 = tfir.bias_add %a, %b {data_format = "NC"} : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @depthwise_conv2d_c1(%a: tensor<8x8x4xf32>, %b: tensor<3x3x4x2xf32>) {
  // expected-error @+1 {{expects images NHWC and a filter HWCM of rank 4, but the types are 'tensor<8x8x4xf32>' and 'tensor<3x3x4x2xf32>'}}
  %0 = tfir.depthwise_conv2d %a, %b : (tensor<8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<8x8x8xf32>
}

// -----

tfir.graph @depthwise_conv2d_c1_channels(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x5x2xf32>) {
  // expected-error @+1 {{images have 4 channels, but the filter takes 5}}
  %0 = tfir.depthwise_conv2d %a, %b : (tensor<1x8x8x4xf32>, tensor<3x3x5x2xf32>) -> tensor<1x8x8x8xf32>
}

// -----

tfir.graph @depthwise_conv2d_c2(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x2xf32>) {
  // expected-error @+1 {{expects two strides >= 1}}
  %0 = tfir.depthwise_conv2d %a, %b {strides = array<i64: 1, 0>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x8xf32>
}

// -----

tfir.graph @depthwise_conv2d_c2_fits(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x2xf32>) {
  // expected-error @+1 {{a filter of size 11 does not fit into an image of size 8}}
  %0 = tfir.depthwise_conv2d %a, %b {padding = "VALID", dilations = array<i64: 5, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x8xf32>
}

// -----

tfir.graph @depthwise_conv2d_c3(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x2xf32>) {
  // expected-error @+1 {{data_format is 'HWC', expected "NHWC" or "NCHW"}}
  %0 = tfir.depthwise_conv2d %a, %b {data_format = "HWC"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x8xf32>
}

// -----

tfir.graph @depthwise_conv2d_type(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x2xf32>) {
  // expected-error @+1 {{gives 'tensor<1x8x8x8xf32>' as result #0, but 'tensor<1x8x8x4xf32>' is written}}
  %0 = tfir.depthwise_conv2d %a, %b : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x4xf32>
}

// -----

tfir.graph @depthwise_backprop_input_c1(%a: tensor<3x3x4x2xf32>, %b: tensor<1x8x8x8xf32>) {
  // expected-error @+1 {{out_backprop has type 'tensor<1x8x8x8xf32>', but the depthwise convolution of 'tensor<1x9x8x4xf32>' with 'tensor<3x3x4x2xf32>' gives 'tensor<1x9x8x8xf32>'}}
  %0 = tfir.depthwise_conv2d_backprop_input %a, %b : (tensor<3x3x4x2xf32>, tensor<1x8x8x8xf32>) -> tensor<1x9x8x4xf32>
}

// -----

tfir.graph @depthwise_backprop_filter_c1(%a: tensor<1x8x8x4xf32>, %b: tensor<1x8x8x8xf32>) {
  // expected-error @+1 {{but the depthwise convolution of 'tensor<1x8x8x4xf32>' with 'tensor<3x3x4x3xf32>' gives 'tensor<1x8x8x12xf32>'}}
  %0 = tfir.depthwise_conv2d_backprop_filter %a, %b : (tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32>) -> tensor<3x3x4x3xf32>
}

// -----

tfir.graph @depthwise_filter_partials_c1(%a: tensor<1x8x8x4xf32>, %b: tensor<1x8x8x8xf32>) {
  // expected-error @+1 {{gives 'tensor<2x3x3x4x2xf32>', expected one filter HWCM for each image of 'tensor<1x8x8x4xf32>'}}
  %0 = tfir.depthwise_filter_partials %a, %b : (tensor<1x8x8x4xf32>, tensor<1x8x8x8xf32>) -> tensor<2x3x3x4x2xf32>
}

// -----

tfir.graph @separable_conv2d_c1(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x2xf32>, %c: tensor<1x1x4x5xf32>) {
  // expected-error @+1 {{pointwise_filter has type 'tensor<1x1x4x5xf32>', expected [1, 1, 8, out] for the result of the depthwise filter}}
  %0 = tfir.separable_conv2d %a, %b, %c : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>, tensor<1x1x4x5xf32>) -> tensor<1x8x8x5xf32>
}

// -----

tfir.graph @separable_conv2d_c2(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x3x2xf32>, %c: tensor<1x1x6x5xf32>) {
  // expected-error @+1 {{images have 4 channels, but the filter takes 3}}
  %0 = tfir.separable_conv2d %a, %b, %c : (tensor<1x8x8x4xf32>, tensor<3x3x3x2xf32>, tensor<1x1x6x5xf32>) -> tensor<1x8x8x5xf32>
}

// -----

tfir.graph @atrous_conv2d_c1(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>) {
  // expected-error @+1 {{has a rate of 0, expected >= 1}}
  %0 = tfir.atrous_conv2d %a, %b {rate = 0} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @atrous_conv2d_c2(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x5x6xf32>) {
  // expected-error @+1 {{images have 4 channels, but the filter takes 5}}
  %0 = tfir.atrous_conv2d %a, %b {rate = 2} : (tensor<1x8x8x4xf32>, tensor<3x3x5x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv1d_c1(%a: tensor<1x8x8x4xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects sequences NWC and a filter WIO of rank 3, but the types are 'tensor<1x8x8x4xf32>' and 'tensor<3x4x6xf32>'}}
  %0 = tfir.conv1d %a, %b : (tensor<1x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv1d_c2(%a: tensor<1x8x4xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{expects one stride >= 1}}
  %0 = tfir.conv1d %a, %b {stride = 0} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x6xf32>
}

// -----

tfir.graph @conv1d_c2_paddings(%a: tensor<1x8x4xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{has 4 explicit_paddings, expected 2 numbers >= 0}}
  %0 = tfir.conv1d %a, %b {padding = "EXPLICIT", explicit_paddings = array<i64: 1, 1, 1, 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x6xf32>
}

// -----

tfir.graph @conv1d_c3(%a: tensor<1x8x4xf32>, %b: tensor<3x4x6xf32>) {
  // expected-error @+1 {{data_format is 'NHWC', expected "NWC" or "NCW"}}
  %0 = tfir.conv1d %a, %b {data_format = "NHWC"} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x8x6xf32>
}

// -----

tfir.graph @conv3d_c1(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x3x2x4xf32>) {
  // expected-error @+1 {{expects volumes NDHWC and a filter DHWIO of rank 5, but the types are 'tensor<1x8x8x4xf32>' and 'tensor<3x3x3x2x4xf32>'}}
  %0 = tfir.conv3d %a, %b : (tensor<1x8x8x4xf32>, tensor<3x3x3x2x4xf32>) -> tensor<1x8x8x6xf32>
}

// -----

tfir.graph @conv3d_c2(%a: tensor<1x4x8x8x2xf32>, %b: tensor<3x3x3x2x4xf32>) {
  // expected-error @+1 {{expects three strides >= 1}}
  %0 = tfir.conv3d %a, %b {strides = array<i64: 1, 1>} : (tensor<1x4x8x8x2xf32>, tensor<3x3x3x2x4xf32>) -> tensor<1x4x8x8x4xf32>
}

// -----

tfir.graph @conv3d_c3(%a: tensor<1x4x8x8x2xf32>, %b: tensor<3x3x3x2x4xf32>) {
  // expected-error @+1 {{data_format is 'NHWC', expected "NDHWC" or "NCDHW"}}
  %0 = tfir.conv3d %a, %b {data_format = "NHWC"} : (tensor<1x4x8x8x2xf32>, tensor<3x3x3x2x4xf32>) -> tensor<1x4x8x8x4xf32>
}

// -----

tfir.graph @max_pool_c3(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{has explicit_paddings of 0 and 2 pixels, so that a window of size 2 may have no pixel; make them less than ksize}}
  %0 = tfir.max_pool %a {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "EXPLICIT", explicit_paddings = array<i64: 0, 0, 0, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @avg_pool_c3(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{has explicit_paddings, which padding 'VALID' does not use}}
  %0 = tfir.avg_pool %a {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = "VALID", explicit_paddings = array<i64: 0, 0, 0, 1>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @avg_pool_c4(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{data_format is 'CHWN', expected "NHWC" or "NCHW"}}
  %0 = tfir.avg_pool %a {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, data_format = "CHWN"} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @global_avg_pool_c1(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{expects images of rank 3 or more, not 'tensor<8x4xf32>'}}
  %0 = tfir.global_avg_pool %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @global_max_pool_c2(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{data_format is 'NCW', expected "NHWC" or "NCHW"}}
  %0 = tfir.global_max_pool %a {data_format = "NCW"} : (tensor<1x8x8x4xf32>) -> tensor<1x4xf32>
}

// -----

tfir.graph @adaptive_avg_pool_c1(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expects images of rank 4 and two numbers >= 1 as output_size, not 'tensor<1x8x8x4xf32>' and [4]}}
  %0 = tfir.adaptive_avg_pool %a {output_size = array<i64: 4>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @adaptive_max_pool_c2(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{cannot cut 8 pixels into 3 windows of one size; make output_size a divisor}}
  %0 = tfir.adaptive_max_pool %a {output_size = array<i64: 4, 3>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @adaptive_max_pool_c3(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{data_format is '', expected "NHWC" or "NCHW"}}
  %0 = tfir.adaptive_max_pool %a {output_size = array<i64: 4, 4>, data_format = ""} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @lp_pool_c1(%a: tensor<8x8x4xf32>) {
  // expected-error @+1 {{expects images NHWC of rank 4, not 'tensor<8x8x4xf32>'}}
  %0 = tfir.lp_pool %a {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<8x8x4xf32>) -> tensor<4x4x4xf32>
}

// -----

tfir.graph @lp_pool_c2(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expects two sizes and two strides >= 1}}
  %0 = tfir.lp_pool %a {ksize = array<i64: 2>, strides = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @lp_pool_c3(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{p is 5.000000e-01, expected at least 1}}
  %0 = tfir.lp_pool %a {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, p = 0.5 : f64} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @lp_pool_c4(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{data_format is 'NC', expected "NHWC" or "NCHW"}}
  %0 = tfir.lp_pool %a {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, data_format = "NC"} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @max_pool1d_c1(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expects sequences NWC of rank 3, not 'tensor<1x8x8x4xf32>'}}
  %0 = tfir.max_pool1d %a {ksize = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @avg_pool1d_c2(%a: tensor<1x8x4xf32>) {
  // expected-error @+1 {{expects one size and one stride >= 1}}
  %0 = tfir.avg_pool1d %a {ksize = array<i64: 2, 2>, strides = array<i64: 2>} : (tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
}

// -----

tfir.graph @avg_pool1d_c3(%a: tensor<1x8x4xf32>) {
  // expected-error @+1 {{data_format is 'NHWC', expected "NWC" or "NCW"}}
  %0 = tfir.avg_pool1d %a {ksize = array<i64: 2>, strides = array<i64: 2>, data_format = "NHWC"} : (tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
}

// -----

tfir.graph @max_pool3d_c1(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expects volumes NDHWC of rank 5, not 'tensor<1x8x8x4xf32>'}}
  %0 = tfir.max_pool3d %a {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @avg_pool3d_c2(%a: tensor<1x4x8x8x2xf32>) {
  // expected-error @+1 {{a window of size 5 does not fit into an image of size 4}}
  %0 = tfir.avg_pool3d %a {ksize = array<i64: 5, 2, 2>, strides = array<i64: 2, 2, 2>, padding = "VALID"} : (tensor<1x4x8x8x2xf32>) -> tensor<1x1x4x4x2xf32>
}

// -----

tfir.graph @avg_pool3d_c3(%a: tensor<1x4x8x8x2xf32>) {
  // expected-error @+1 {{data_format is 'NCHW', expected "NDHWC" or "NCDHW"}}
  %0 = tfir.avg_pool3d %a {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, data_format = "NCHW"} : (tensor<1x4x8x8x2xf32>) -> tensor<1x2x4x4x2xf32>
}

// -----

tfir.graph @conv2d_backprop_filter_c2(%a: tensor<1x8x8x4xf32>, %b: tensor<1x12x8x6xf32>) {
  // expected-error @+1 {{has explicit_paddings of 3, 3, 1, 1 pixels}}
  %0 = tfir.conv2d_backprop_filter %a, %b {padding = "EXPLICIT", explicit_paddings = array<i64: 3, 3, 1, 1>} : (tensor<1x8x8x4xf32>, tensor<1x12x8x6xf32>) -> tensor<3x3x4x6xf32>
}

// -----

tfir.graph @conv3d_c1_groups(%a: tensor<1x4x8x8x4xf32>, %b: tensor<3x3x3x2x4xf32>) {
  // expected-error @+1 {{has 3 groups, which do not divide the 4 channels of the images and the 4 of the result; make groups a divisor of both}}
  %0 = tfir.conv3d %a, %b {groups = 3} : (tensor<1x4x8x8x4xf32>, tensor<3x3x3x2x4xf32>) -> tensor<1x4x8x8x4xf32>
}

// -----

tfir.graph @lp_pool1d_c1(%a: tensor<1x8x8x4xf32>) {
  // expected-error @+1 {{expects sequences NWC of rank 3, not 'tensor<1x8x8x4xf32>'}}
  %0 = tfir.lp_pool1d %a {ksize = array<i64: 2>, strides = array<i64: 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// -----

tfir.graph @lp_pool1d_c4(%a: tensor<1x8x4xf32>) {
  // expected-error @+1 {{p is 5.000000e-01, expected at least 1}}
  %0 = tfir.lp_pool1d %a {ksize = array<i64: 2>, strides = array<i64: 2>, p = 0.5 : f64} : (tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
}

// -----

tfir.graph @lp_pool3d_c3(%a: tensor<1x4x8x8x2xf32>) {
  // expected-error @+1 {{data_format is 'NCHW', expected "NDHWC" or "NCDHW"}}
  %0 = tfir.lp_pool3d %a {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, data_format = "NCHW"} : (tensor<1x4x8x8x2xf32>) -> tensor<1x2x4x4x2xf32>
}

// -----

tfir.graph @lp_pool3d_c4(%a: tensor<1x4x8x8x2xf32>) {
  // expected-error @+1 {{p is -1.000000e+00, expected at least 1}}
  %0 = tfir.lp_pool3d %a {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, p = -1.0 : f64} : (tensor<1x4x8x8x2xf32>) -> tensor<1x2x4x4x2xf32>
}

// -----

tfir.graph @lp_pool3d_c4_infinite(%a: tensor<1x4x8x8x2xf32>) {
  // expected-error @+1 {{p is INF, expected at least 1; the norm without end is that of tfir.max_pool of tfir.abs}}
  %0 = tfir.lp_pool3d %a {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, p = 0x7FF0000000000000 : f64} : (tensor<1x4x8x8x2xf32>) -> tensor<1x2x4x4x2xf32>
}
