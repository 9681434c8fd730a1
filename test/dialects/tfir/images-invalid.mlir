// What crops and colours of images refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @crop_and_resize_c1(%x: tensor<8x8x3xf32>, %b: tensor<5x4xf32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{the images have the type 'tensor<8x8x3xf32>', expected four dimensions, NHWC}}
  %0 = tfir.crop_and_resize %x, %b, %i {crop_size = [4, 4]} : (tensor<8x8x3xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4x4x3xf32>
}

// -----

tfir.graph @crop_and_resize_c2(%x: tensor<2x8x8x3xf32>, %b: tensor<5x3xf32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{has boxes of type 'tensor<5x3xf32>' and images 'tensor<5xi32>', expected four numbers and one image for each}}
  %0 = tfir.crop_and_resize %x, %b, %i {crop_size = [4, 4]} : (tensor<2x8x8x3xf32>, tensor<5x3xf32>, tensor<5xi32>) -> tensor<5x4x4x3xf32>
}

// -----

tfir.graph @crop_and_resize_c2_count(%x: tensor<2x8x8x3xf32>, %b: tensor<5x4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{has boxes of type 'tensor<5x4xf32>' and images 'tensor<4xi32>', expected four numbers and one image for each}}
  %0 = tfir.crop_and_resize %x, %b, %i {crop_size = [4, 4]} : (tensor<2x8x8x3xf32>, tensor<5x4xf32>, tensor<4xi32>) -> tensor<5x4x4x3xf32>
}

// -----

tfir.graph @crop_and_resize_c3(%x: tensor<2x8x8x3xf32>, %b: tensor<5x4xf32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{crop_size is [0, 4], expected two sizes from 1}}
  %0 = tfir.crop_and_resize %x, %b, %i {crop_size = [0, 4]} : (tensor<2x8x8x3xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4x4x3xf32>
}

// -----

tfir.graph @crop_and_resize_c3_count(%x: tensor<2x8x8x3xf32>, %b: tensor<5x4xf32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{crop_size is [4], expected two sizes from 1}}
  %0 = tfir.crop_and_resize %x, %b, %i {crop_size = [4]} : (tensor<2x8x8x3xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4x4x3xf32>
}

// -----

tfir.graph @crop_and_resize_c4(%x: tensor<2x8x8x3xf32>, %b: tensor<5x4xf32>, %i: tensor<5xi32>) {
  // expected-error @+1 {{the method is 'bicubic', expected 'bilinear' or 'nearest'}}
  %0 = tfir.crop_and_resize %x, %b, %i {crop_size = [4, 4], method = "bicubic"} : (tensor<2x8x8x3xf32>, tensor<5x4xf32>, tensor<5xi32>) -> tensor<5x4x4x3xf32>
}

// -----

tfir.graph @grayscale_to_rgb_c1(%x: tensor<4x6x2xui8>) {
  // expected-error @+1 {{the operand has the type 'tensor<4x6x2xui8>', expected one channel in the last dimension}}
  %0 = tfir.grayscale_to_rgb %x : (tensor<4x6x2xui8>) -> tensor<4x6x3xui8>
}

// -----

tfir.graph @adjust_contrast_c1(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<4x6xf32>', expected three dimensions, HWC, at least}}
  %0 = tfir.adjust_contrast %x {contrast_factor = 2.0} : (tensor<4x6xf32>) -> tensor<4x6xf32>
}
