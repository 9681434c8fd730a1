// What summary ops and their attribute refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @scalar_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{shows 'tensor<2xf32>', expected a value without dimensions}}
  tfir.summary.scalar "x", %x : tensor<2xf32>
}

// -----

tfir.graph @scalar_c2(%x: tensor<f32>) {
  // expected-error @+1 {{has the tag '/', expected a name such as "loss"; TensorBoard shows it}}
  tfir.summary.scalar "/", %x : tensor<f32>
}

// -----

tfir.graph @histogram_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{has the tag '', expected a name}}
  tfir.summary.histogram "", %x : tensor<2xf32>
}

// -----

tfir.graph @image_c1(%x: tensor<2x8x8x2xf32>) {
  // expected-error @+1 {{expected [images, height, width, channels] with 1, 3 or 4 channels}}
  tfir.summary.image "x", %x : tensor<2x8x8x2xf32>
}

// -----

tfir.graph @image_c2(%x: tensor<2x8x8x1xf32>) {
  // expected-error @+1 {{max_outputs is 0, expected at least 1}}
  tfir.summary.image "x", %x {max_outputs = 0} : tensor<2x8x8x1xf32>
}

// -----

tfir.graph @image_c3(%x: tensor<2x8x8x1xf32>) {
  // expected-error @+1 {{has the tag ''}}
  tfir.summary.image "", %x : tensor<2x8x8x1xf32>
}

// -----

tfir.graph @text_c1() {
  %x = tfir.const dense<"a"> : tensor<2x!tfir.string>
  // expected-error @+1 {{expected a value without dimensions}}
  tfir.summary.text "x", %x : tensor<2x!tfir.string>
}

// -----

tfir.graph @text_c2() {
  %x = tfir.const dense<"a"> : tensor<!tfir.string>
  // expected-error @+1 {{has the tag ' '}}
  tfir.summary.text " ", %x : tensor<!tfir.string>
}

// -----

tfir.graph @audio_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{plays 'tensor<2xf32>', expected [sounds, frames, channels] or [sounds, frames]}}
  tfir.summary.audio "x", %x {sample_rate = 8000.0} : tensor<2xf32>
}

// -----

tfir.graph @audio_c2(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{sample_rate is 0.000000e+00, expected samples per second above 0}}
  tfir.summary.audio "x", %x {sample_rate = 0.0} : tensor<2x8xf32>
}

// -----

tfir.graph @audio_c3(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{max_outputs is -1, expected at least 1}}
  tfir.summary.audio "x", %x {sample_rate = 1.0, max_outputs = -1} : tensor<2x8xf32>
}

// -----

tfir.graph @audio_c4(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{has the tag ''}}
  tfir.summary.audio "", %x {sample_rate = 1.0} : tensor<2x8xf32>
}

// -----

tfir.graph @pr_curve_c1(%l: tensor<4xi1>, %p: tensor<8xf32>) {
  // expected-error @+1 {{has labels of 'tensor<4xi1>' and predictions of 'tensor<8xf32>', expected one shape}}
  tfir.summary.pr_curve "x", %l, %p : tensor<4xi1>, tensor<8xf32>
}

// -----

tfir.graph @pr_curve_c2(%l: tensor<8xi1>, %p: tensor<8xf32>) {
  // expected-error @+1 {{num_thresholds is 1, expected at least 2}}
  tfir.summary.pr_curve "x", %l, %p {num_thresholds = 1} : tensor<8xi1>, tensor<8xf32>
}

// -----

tfir.graph @pr_curve_c3(%l: tensor<8xi1>, %p: tensor<8xf32>) {
  // expected-error @+1 {{has the tag ''}}
  tfir.summary.pr_curve "", %l, %p : tensor<8xi1>, tensor<8xf32>
}

// -----

// expected-error @+1 {{tag is empty, expected a name such as "loss"}}
tfir.graph @attr_c1() attributes {summaries = [#tfir.summary<kind = scalar, tag = "", fetch = 0>]} {
}

// -----

// expected-error @+1 {{fetch, max_outputs or thresholds is negative, expected numbers from 0}}
tfir.graph @attr_c1_too() attributes {summaries = [#tfir.summary<kind = scalar, tag = "x", fetch = -1>]} {
}

// -----

// expected-error @+1 {{has the summary "x" of fetch 0, but 0 fetches}}
tfir.graph @graph_c4() attributes {summaries = [#tfir.summary<kind = scalar, tag = "x", fetch = 0>]} {
}
