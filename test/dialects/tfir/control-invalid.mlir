// What loops and choices refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @scan_c1_both(%xs: tensor<2xf32>) {
  // expected-error @+1 {{has 'steps' and inputs; the first dimension of the inputs is the number of steps}}
  tfir.scan steps 2 over(%xs) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i32>, %x: tensor<f32>):
  }
}

// -----

tfir.graph @scan_c1_none(%h: tensor<2xf32>) {
  // expected-error @+1 {{has no inputs; give it 'steps', such as 'steps 8'}}
  %0 = tfir.scan carry(%h) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<2xf32>):
    tfir.yield %s : tensor<2xf32>
  }
}

// -----

tfir.graph @scan_c1_zero() {
  // expected-error @+1 {{has 0 steps, expected at least 1}}
  tfir.scan steps 0 : () -> () {
  ^bb0(%i: tensor<i32>):
  }
}

// -----

tfir.graph @scan_c2_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{has the input 'tensor<f32>', which has no dimension to divide into steps}}
  tfir.scan over(%x) : (tensor<f32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
  }
}

// -----

tfir.graph @scan_c2_sizes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{has inputs of 2 and 3 steps; expected one first dimension}}
  tfir.scan over(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %t: tensor<f32>):
  }
}

// -----

tfir.graph @scan_c2_empty(%x: tensor<0xf32>) {
  // expected-error @+1 {{has 0 steps, expected at least 1}}
  tfir.scan over(%x) : (tensor<0xf32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
  }
}

// -----

tfir.graph @scan_c3_count(%x: tensor<2xf32>) {
  // expected-error @+1 {{has a body with 1 arguments, expected 2: the number of the step, slices, carried values}}
  tfir.scan over(%x) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i32>):
  }
}

// -----

tfir.graph @scan_c3_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{has 'tensor<2xf32>' as argument #1 of its body, expected 'tensor<f32>'}}
  tfir.scan over(%x) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<2xf32>):
  }
}

// -----

tfir.graph @scan_c4_carried(%h: tensor<2xf32>, %x: tensor<3xf32>) {
  // expected-error @+1 {{carries 'tensor<2xf32>' as value #0, but a step yields 'tensor<3xf32>'; a carried value keeps its type}}
  %0 = tfir.scan steps 2 carry(%h) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<2xf32>):
    tfir.yield %x : tensor<3xf32>
  }
}

// -----

tfir.graph @scan_c4_few(%h: tensor<2xf32>) {
  // expected-error @+1 {{yields 0 values, but 1 are carried}}
  %0 = tfir.scan steps 2 carry(%h) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<2xf32>):
    tfir.yield
  }
}

// -----

tfir.graph @scan_c4_results(%x: tensor<2xf32>) {
  // expected-error @+1 {{has 0 results, but its body yields 1}}
  tfir.scan over(%x) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @scan_c4_stacked(%x: tensor<2xf32>) {
  // expected-error @+1 {{gives 'tensor<2xf32>' as result #0, but 'tensor<3xf32>' is written}}
  %0 = tfir.scan over(%x) : (tensor<2xf32>) -> tensor<3xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @scan_c5_summary(%x: tensor<2xf32>) {
  tfir.scan over(%x) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.scan'; move it behind it, and give it a value that the body yields}}
    tfir.summary.scalar "x", %s : tensor<f32>
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @scan_c5_minimize(%x: tensor<2xf32>) {
  tfir.scan over(%x) : (tensor<2xf32>) -> () {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.scan'; move it behind it}}
    tfir.minimize %s using #tfir.sgd<learning_rate = 0.1>
  }
}

// -----

tfir.graph @if_condition(%c: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be a bool scalar, but got 'tensor<2xi1>'}}
  tfir.if %c : (tensor<2xi1>) -> () {
  } else {
  }
}

// -----

tfir.graph @if_c1_count(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{yields 1 values from one body and 0 from the other}}
  %0 = tfir.if %c : (tensor<i1>) -> tensor<f32> {
    tfir.yield %x : tensor<f32>
  } else {
  }
}

// -----

tfir.graph @if_c1_types(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<i32>) {
  // expected-error @+1 {{yields 'tensor<f32>' as value #0 from one body and 'tensor<i32>' from the other; expected one type}}
  %0 = tfir.if %c : (tensor<i1>) -> tensor<f32> {
    tfir.yield %x : tensor<f32>
  } else {
    tfir.yield %y : tensor<i32>
  }
}

// -----

tfir.graph @if_c1_results(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{has 0 results, but its bodies yield 1}}
  tfir.if %c : (tensor<i1>) -> () {
    tfir.yield %x : tensor<f32>
  } else {
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @if_c1_written(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{gives 'tensor<f32>' as result #0, but 'tensor<2xf32>' is written}}
  %0 = tfir.if %c : (tensor<i1>) -> tensor<2xf32> {
    tfir.yield %x : tensor<f32>
  } else {
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @if_arguments(%c: tensor<i1>) {
  // expected-error @+1 {{has a body with arguments, which a choice does not give}}
  tfir.if %c : (tensor<i1>) -> () {
  ^bb0(%i: tensor<i32>):
  } else {
  }
}

// -----

tfir.dataset @d(x: tensor<f32>) {batch = 2}
tfir.graph @if_c2_next(%c: tensor<i1>) {
  tfir.if %c : (tensor<i1>) -> () {
    // expected-error @+1 {{stands in a body of 'tfir.if', of which both are done; move it before or behind it}}
    %x = tfir.next @d : tensor<2xf32>
  } else {
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.variable @average : tensor<f32> = #tfir.fill<1.0>
tfir.graph @if_c2_average(%c: tensor<i1>, %d: tensor<f32>) {
  tfir.if %c : (tensor<i1>) -> () {
  } else {
    // expected-error @+1 {{stands in a body of 'tfir.if', of which both are done}}
    tfir.update_average @average of @w, %d
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @if_c3_minimize(%c: tensor<i1>, %x: tensor<f32>) {
  tfir.if %c : (tensor<i1>) -> () {
    // expected-error @+1 {{stands in a body of 'tfir.if'; move it behind it}}
    tfir.minimize %x using #tfir.sgd<learning_rate = 0.1>
  } else {
  }
}

// -----

tfir.graph @recompute_c1_results(%x: tensor<f32>) {
  // expected-error @+1 {{has 0 results, but its body yields 1}}
  tfir.recompute : () -> () {
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @recompute_c1_type(%x: tensor<f32>) {
  // expected-error @+1 {{gives 'tensor<f32>' as result #0, but 'tensor<2xf32>' is written}}
  %0 = tfir.recompute : () -> tensor<2xf32> {
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @recompute_c1_arguments() {
  // expected-error @+1 {{has a body with arguments, which it does not give}}
  tfir.recompute : () -> () {
  ^bb0(%i: tensor<i32>):
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @recompute_c2(%x: tensor<f32>) {
  tfir.recompute : () -> () {
    // expected-error @+1 {{stands in a body of 'tfir.recompute'; move it behind it}}
    tfir.minimize %x using #tfir.sgd<learning_rate = 0.1>
  }
}

// -----

tfir.graph @custom_gradient_c1(%x: tensor<f32>) {
  // expected-error @+1 {{has 2 results for 1 values; expected a value, and a result for each}}
  %0:2 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%g: tensor<f32>):
    tfir.yield %g : tensor<f32>
  }
}

// -----

tfir.graph @custom_gradient_c1_type(%x: tensor<f32>) {
  // expected-error @+1 {{gives 'tensor<f32>' as result #0, but 'tensor<2xf32>' is written}}
  %0 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> tensor<2xf32> {
  ^bb0(%g: tensor<f32>):
    tfir.yield %g : tensor<f32>
  }
}

// -----

tfir.graph @custom_gradient_c2(%x: tensor<f32>) {
  // expected-error @+1 {{has a body with 0 arguments for 1 values; expected the gradient of each}}
  %0 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @custom_gradient_c2_type(%x: tensor<f32>) {
  // expected-error @+1 {{has 'tensor<2xf32>' as the gradient of a value of type 'tensor<f32>'; expected its type}}
  %0 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%g: tensor<2xf32>):
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @custom_gradient_c3(%x: tensor<f32>) {
  // expected-error @+1 {{has a body that gives 2 gradients for 1 values; expected one for each, in their order}}
  %0 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%g: tensor<f32>):
    tfir.yield %g, %g : tensor<f32>, tensor<f32>
  }
}

// -----

// expected-note @+1 {{it is computed here}}
tfir.graph @custom_gradient_c3_type(%x: tensor<f32>, %z: tensor<2xf32>) {
  // expected-error @+1 {{gives 'tensor<2xf32>' as the gradient of value #0, which is 'tensor<f32>'; expected its type: cast, sum or reshape it}}
  %0 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%g: tensor<f32>):
    tfir.yield %z : tensor<2xf32>
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @custom_gradient_c4(%x: tensor<f32>) {
  %0 = tfir.custom_gradient(%x) of(%x) : (tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%g: tensor<f32>):
    // expected-error @+1 {{stands in the gradient of a value, which is computed only where something is differentiated; move it out of the body}}
    tfir.assign_add @w, %g : tensor<f32>
    tfir.yield %g : tensor<f32>
  }
}

// -----

tfir.graph @optimization_barrier_c1(%x: tensor<f32>) {
  // expected-error @+1 {{gives 'tensor<f32>' as result #0, but 'tensor<2xf32>' is written}}
  %0 = tfir.optimization_barrier %x, %x : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
}

// -----

tfir.graph @recompute_attribute() {
  // expected-error @+1 {{has "all" as 'tfir.recompute', expected a number from 0, such as 3 : i64}}
  %0 = tfir.const {tfir.recompute = "all"} dense<0.0> : tensor<f32>
}

// -----

// expected-error @+1 {{ends nothing that yields values; a graph ends with tfir.return}}
tfir.yield

// -----

tfir.graph @if_c2_assert(%c: tensor<i1>) {
  tfir.if %c : (tensor<i1>) -> () {
    // expected-error @+1 {{stands in a body of 'tfir.if', of which both are done; move it before or behind it}}
    tfir.assert %c, "c" : tensor<i1>
  } else {
  }
}

// -----

tfir.graph @if_c2_check_numerics(%c: tensor<i1>, %x: tensor<f32>) {
  %0 = tfir.if %c : (tensor<i1>) -> tensor<f32> {
    tfir.yield %x : tensor<f32>
  } else {
    // expected-error @+1 {{stands in a body of 'tfir.if', of which both are done}}
    %y = tfir.check_numerics %x {message = "x"} : (tensor<f32>) -> tensor<f32>
    tfir.yield %y : tensor<f32>
  }
}

// -----

tfir.graph @if_c2_print(%c: tensor<i1>, %x: tensor<f32>) {
  tfir.if %c : (tensor<i1>) -> () {
    tfir.scan steps 2 : () -> () {
    ^bb0(%i: tensor<i32>):
      // expected-error @+1 {{stands in a body of 'tfir.if', of which both are done}}
      %y = tfir.print %x : (tensor<f32>) -> tensor<f32>
    }
  } else {
  }
}
