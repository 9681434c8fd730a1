// What budgets refuse.
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
