// What kernels for GPUs refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{has parts that do not lie in its scratch memory of 256 bytes, at multiples of 256}}
exec.gpu_kernel @kernel_c1_size buffers 1 parts [0] sizes [257] scratch 256 {
  exec.gpu_launch "k" [0] grid 1 block 32
}

// -----

// expected-error @+1 {{has parts that do not lie in its scratch memory of 512 bytes, at multiples of 256}}
exec.gpu_kernel @kernel_c1_place buffers 1 parts [64] sizes [64] scratch 512 {
  exec.gpu_launch "k" [0] grid 1 block 32
}

// -----

// expected-error @+1 {{has parts that do not lie in its scratch memory}}
exec.gpu_kernel @kernel_c1_count buffers 1 parts [0, 256] sizes [64] scratch 512 {
  exec.gpu_launch "k" [0] grid 1 block 32
}

// -----

exec.gpu_kernel @kernel_c2_buffer buffers 1 parts [0] sizes [64] scratch 256 {
  // expected-error @+1 {{takes buffer 2 of 2}}
  exec.gpu_launch "k" [0, 2] grid 1 block 32
}

// -----

exec.gpu_kernel @kernel_c2_stage buffers 1 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{is no stage of a GPU's kernel}}
  exec.sleep 1 waits []
}

// -----

exec.gpu_kernel @matmul_c1 buffers 4 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{has a shape of 2 numbers; expected rows, columns and terms}}
  exec.gpu_matmul [0, 1, 2, 3] shape [8, 5]
}

// -----

exec.gpu_kernel @matmul_c2 buffers 4 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{has 4 buffers; expected 5}}
  exec.gpu_matmul [0, 1, 2, 3] shape [8, 5, 3] {epilogue = 1 : i32}
}

// -----

exec.gpu_kernel @convolution_c1_shape buffers 4 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{has a shape of 3 numbers; expected 4}}
  exec.gpu_convolution forward [0, 1, 2, 3] images [8, 5, 3] filter [1, 1, 1, 1]
      result [1, 1, 1, 1] strides [1, 1] pads [0, 0]
}

// -----

exec.gpu_kernel @convolution_c1_strides buffers 4 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{has other than two strides and two pads}}
  exec.gpu_convolution forward [0, 1, 2, 3] images [1, 8, 5, 3] filter [1, 1, 1, 1]
      result [1, 1, 1, 1] strides [1] pads [0, 0]
}

// -----

exec.gpu_kernel @convolution_c2_gradient buffers 5 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{is a gradient, which has no epilogue}}
  exec.gpu_convolution backward_data [0, 1, 2, 3, 4] images [1, 8, 5, 3]
      filter [1, 1, 1, 1] result [1, 1, 1, 1] strides [1, 1] pads [0, 0]
      {epilogue = 1 : i32}
}

// -----

exec.gpu_kernel @convolution_c2_buffers buffers 5 parts [] sizes [] scratch 0 {
  // expected-error @+1 {{has 5 buffers; expected 4}}
  exec.gpu_convolution forward [0, 1, 2, 3, 4] images [1, 8, 5, 3] filter [1, 1, 1, 1]
      result [1, 1, 1, 1] strides [1, 1] pads [0, 0]
}

// -----

// expected-error @+1 {{expects parent op 'exec.gpu_kernel'}}
exec.gpu_launch "k" [0] grid 1 block 32
