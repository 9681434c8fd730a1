// What budgets, debug ops and sums over devices refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{bounds 'bytes'; expected "link", "messages" or "peak"}}
tfir.budget "bytes" at_most 4

// -----

// expected-error @+1 {{bounds the memory of devices, which has no 'to'; name them with 'from'}}
tfir.budget "peak" to "/gpu:0" at_most 4

// -----

// expected-error @+1 {{has the limit -1, expected at least 0}}
tfir.budget "link" from "/gpu:0" to "/cpu:0" at_most -1

// -----

// expected-error @+1 {{is none of job, replica, task, device, cpu, gpu}}
tfir.budget "link" from "/gqu:0" to "/cpu:0" at_most 4

// -----

tfir.graph @debug_sleep_c1(%x: tensor<f32>) {
  // expected-error @+1 {{sleeps 86400001 milliseconds, expected 0 to 86400000}}
  %y = tfir.debug_sleep %x {milliseconds = 86400001} : (tensor<f32>) -> tensor<f32>
  tfir.return
}

// -----

tfir.graph @debug_sleep_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{tensor<2xf32>}}
  %y = tfir.debug_sleep %x {milliseconds = 1} : (tensor<2xf32>) -> tensor<3xf32>
  tfir.return
}

// -----

tfir.graph @debug_fail_c1(%x: tensor<f32>) {
  // expected-error @+1 {{has a text of 0 characters, expected 1 to 1000}}
  %y = tfir.debug_fail %x {text = ""} : (tensor<f32>) -> tensor<f32>
  tfir.return
}

// -----

tfir.graph @debug_fail_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{tensor<2xf32>}}
  %y = tfir.debug_fail %x {text = "no"} : (tensor<2xf32>) -> tensor<3xf32>
  tfir.return
}

// -----

tfir.graph @all_reduce_c1(%x: tensor<2xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{has a term of 'tensor<2xf32>' for a sum of 'tensor<3xf32>'; expected one type}}
  %y = tfir.all_reduce %x, %s : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  tfir.return
}

// -----

tfir.graph @all_reduce_c1_result(%x: tensor<2xf32>) {
  // expected-error @+1 {{tensor<2xf32>}}
  %y = tfir.all_reduce %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  tfir.return
}

// -----

tfir.graph @all_reduce_type(%x: tensor<2xf64>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of 32-bit float values}}
  %y = tfir.all_reduce %x, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  tfir.return
}
