// What loops and choices that data decide refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @while_c1_limit(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has the limit 0, expected 1 to 2147483647 steps}}
  %r = tfir.while carry(%x) with(%a) limit 0 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c1_large(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has the limit 2147483648, expected 1 to 2147483647 steps}}
  %r = tfir.while carry(%x) with(%a) limit 2147483648 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c1_nothing(%a: tensor<2xf32>) {
  // expected-error @+1 {{carries no value, so that no step changes its condition; carry what the condition is about}}
  "tfir.while"(%a) <{limit = 3 : i64, operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%i: tensor<i32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %c: tensor<2xf32>):
    tfir.yield
  }) : (tensor<2xf32>) -> ()
}

// -----

tfir.graph @while_c2_count(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has a condition with 2 arguments, expected 3: the number of the step, carried values, captured ones}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c2_type(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has 'tensor<f64>' as argument #1 of its body, expected 'tensor<f32>'}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f64>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f64>
  }
}

// -----

tfir.graph @while_c3_count(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has a condition of 0 values, expected one bool, such as a comparison of scalars, or tfir.any or tfir.all of several}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c3_type(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has a condition of 'tensor<2xf32>', expected one bool}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %c : tensor<2xf32>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c4_count(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{yields 2 values, but 1 are carried}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s, %c : tensor<f32>, tensor<2xf32>
  }
}

// -----

tfir.graph @while_c4_type(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{carries 'tensor<f32>' as value #0, but a step yields 'tensor<2xf32>'; a carried value keeps its type}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %c : tensor<2xf32>
  }
}

// -----

tfir.graph @while_c4_results(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{has 2 results, but 1 values are carried}}
  %r:2 = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c4_written(%x: tensor<f32>, %a: tensor<2xf32>) {
  // expected-error @+1 {{gives 'tensor<f32>' as result #0, but 'tensor<2xf32>' is written}}
  %r = tfir.while carry(%x) with(%a) limit 3 : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>, %c: tensor<2xf32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_draw(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and draws random numbers; draw before it, or use 'tfir.scan' or 'tfir.if', which do}}
    %n = tfir.random_normal : tensor<2xf32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @while_c5_read(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and reads a variable; read it before, and capture the value}}
    %w = tfir.read @w : tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @while_c5_assign(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and updates a variable; yield the value, and update behind it}}
    tfir.assign @w, %s : tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.dataset @d(x: tensor<f32>) {batch = 2}
tfir.graph @while_c5_next(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and takes a batch; take it before}}
    %b = tfir.next @d : tensor<2xf32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_summary(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and is a summary; yield the value, and show it behind}}
    tfir.summary.scalar "s", %s : tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_scope(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and is a device scope; put the whole op into the scope}}
    tfir.device "/gpu:0" {
    }
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_trains(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and differentiates; move it behind, and use 'tfir.scan' or 'tfir.if' where a gradient is wanted}}
    tfir.minimize %s using #tfir.sgd<learning_rate = 0.1>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_sleep(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and has no code there; move it before or behind it}}
    %z = tfir.debug_sleep %s {milliseconds = 1 : i64} : (tensor<f32>) -> tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_device(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and has a place of its own; give the place to the whole op}}
    %z = tfir.neg %s {device = "/gpu:0"} : (tensor<f32>) -> tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_colocated(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and has a place of its own; give the place to the whole op}}
    %z = tfir.neg %s {colocate_with = "x"} : (tensor<f32>) -> tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_outside(%x: tensor<f32>, %y: tensor<f32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{using value defined outside the region}}
    %z = tfir.neg %y : (tensor<f32>) -> tensor<f32>
    tfir.yield %z : tensor<f32>
  }
}

// -----

tfir.graph @cond_c1_nothing(%c: tensor<i1>) {
  // expected-error @+1 {{gives no value; yield one from both bodies}}
  tfir.cond %c : (tensor<i1>) -> () {
  } else {
  }
}

// -----

tfir.graph @cond_c1_count(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{yields 1 values from one body and 0 from the other}}
  %r = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    tfir.yield
  }
}

// -----

tfir.graph @cond_c1_types(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{yields 'tensor<f32>' as value #0 from one body and 'tensor<i32>' from the other; expected one type}}
  %r = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    %n = tfir.const dense<1> : tensor<i32>
    tfir.yield %n : tensor<i32>
  }
}

// -----

tfir.graph @cond_c1_results(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{has 2 results, but its bodies yield 1}}
  %r:2 = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  }
}

// -----

tfir.graph @cond_c1_written(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{gives 'tensor<f32>' as result #0, but 'tensor<2xf32>' is written}}
  %r = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  }
}

// -----

tfir.graph @cond_c2_count(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{has a second body with 2 arguments, expected 1: the captured values}}
  %r = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    tfir.yield %a : tensor<f32>
  }
}

// -----

tfir.graph @cond_c2_type(%c: tensor<i1>, %x: tensor<f32>) {
  // expected-error @+1 {{has 'tensor<f64>' as argument #0 of its first body, expected 'tensor<f32>'}}
  %r = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> tensor<f64> {
  ^bb0(%a: tensor<f64>):
    tfir.yield %a : tensor<f64>
  } else {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  }
}

// -----

tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
tfir.graph @cond_c3_update(%c: tensor<i1>, %x: tensor<f32>) {
  %r = tfir.cond %c with(%x) : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%a: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.cond', which is one kernel, and updates a variable}}
    tfir.assign_add @w, %a : tensor<f32>
    tfir.yield %a : tensor<f32>
  } else {
  ^bb0(%a: tensor<f32>):
    tfir.yield %a : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_check_numerics(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and reports on a value; yield the value, and report behind it}}
    %y = tfir.check_numerics %s {message = "s"} : (tensor<f32>) -> tensor<f32>
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_print(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and reports on a value; yield the value, and report behind it}}
    %y = tfir.print %s : (tensor<f32>) -> tensor<f32>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    tfir.yield %s : tensor<f32>
  }
}

// -----

tfir.graph @while_c5_assert(%x: tensor<f32>) {
  %r = tfir.while carry(%x) limit 3 : (tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    %go = tfir.const dense<true> : tensor<i1>
    // expected-error @+1 {{stands in a body of 'tfir.while', which is one kernel, and reports on a value; yield the value, and report behind it}}
    tfir.assert %go, "go" : tensor<i1>
    tfir.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: tensor<f32>):
    tfir.yield %s : tensor<f32>
  }
}
