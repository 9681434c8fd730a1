// What Fourier transforms refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @fft_c1(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<8x3xf32>', expected 1 dimensions at least, and (re, im) as the last}}
  %0 = tfir.fft %x : (tensor<8x3xf32>) -> tensor<8x3xf32>
}

// -----

tfir.graph @ifft_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<2xf32>', expected 1 dimensions at least, and (re, im) as the last}}
  %0 = tfir.ifft %x : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @fft2d_c1(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<8x2xf32>', expected 2 dimensions at least, and (re, im) as the last}}
  %0 = tfir.fft2d %x : (tensor<8x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @ifft2d_c1(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<8x4xf32>', expected 2 dimensions at least, and (re, im) as the last}}
  %0 = tfir.ifft2d %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
}

// -----

tfir.graph @rfft_c1(%x: tensor<f32>) {
  // expected-error @+1 {{the operand has the type 'tensor<f32>', expected a dimension at least}}
  %0 = tfir.rfft %x : (tensor<f32>) -> tensor<1x2xf32>
}

// -----

tfir.graph @rfft_c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{fft_length is 0, expected at least 1}}
  %0 = tfir.rfft %x {fft_length = 0} : (tensor<8xf32>) -> tensor<1x2xf32>
}

// -----

tfir.graph @irfft_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<8xf32>', expected 1 dimensions at least, and (re, im) as the last}}
  %0 = tfir.irfft %x : (tensor<8xf32>) -> tensor<8xf32>
}

// -----

tfir.graph @irfft_c2(%x: tensor<8x2xf32>) {
  // expected-error @+1 {{fft_length is -1, expected at least 1}}
  %0 = tfir.irfft %x {fft_length = -1} : (tensor<8x2xf32>) -> tensor<8xf32>
}

// -----

tfir.graph @dft_c1(%x: tensor<8x3xf32>, %r: tensor<8x2xf32>) {
  // expected-error @+1 {{the operand has the type 'tensor<8x3xf32>', expected 1 dimensions at least, and (re, im) as the last}}
  %0 = tfir.dft %x, %r : (tensor<8x3xf32>, tensor<8x2xf32>) -> tensor<8x3xf32>
}

// -----

tfir.graph @dft_c2(%x: tensor<8x2xf32>, %r: tensor<7x2xf32>) {
  // expected-error @+1 {{has roots of type 'tensor<7x2xf32>' for 'tensor<8x2xf32>', expected one for each place}}
  %0 = tfir.dft %x, %r : (tensor<8x2xf32>, tensor<7x2xf32>) -> tensor<8x2xf32>
}
