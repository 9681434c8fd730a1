// What plans for several numbers of workers cannot share.
// RUN: graphc-opt --exec-join-members --split-input-file --verify-diagnostics %s

module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
    tfir.variable @w : tensor<f32> = #tfir.fill<1.0> {assigned_device = #tfir.device<"/job:ps/replica:0/task:0/device:CPU:0">}
  }
  module attributes {exec.member = 2 : i64} {
    module @kernels {}
    // expected-error @+1 {{'tfir.variable' op is on "/job:ps/replica:0/task:1/device:CPU:0" in the plan for 2 workers, and on "/job:ps/replica:0/task:0/device:CPU:0" in that for 3, but all plans of a model share their variables; name its 'device', or choose a --placement that does not depend on the number of workers, such as ps-round-robin}}
    tfir.variable @w : tensor<f32> = #tfir.fill<1.0> {assigned_device = #tfir.device<"/job:ps/replica:0/task:1/device:CPU:0">}
  }
}

// -----

module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
  }
  module attributes {exec.member = 2 : i64} {
    module @kernels {}
    // expected-error @+1 {{'tfir.variable' op is no variable of the plan for 3 workers}}
    tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
  }
}

// -----

module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
    tfir.variable @w : tensor<f32> = #tfir.fill<1.0>
  }
  module attributes {exec.member = 2 : i64} {
    module @kernels {}
    // expected-error @+1 {{'tfir.variable' op is not the same in the plans for 2 and for 3 workers}}
    tfir.variable @w : tensor<f32> = #tfir.fill<2.0>
  }
}

// -----

module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
    // expected-error @+1 {{'tfir.dataset' op has not the batch 10 in the plan for 2 workers}}
    tfir.dataset @d(x: tensor<f32>) {batch = 15 : i64, batch_of_worker = 5 : i64}
  }
  module attributes {exec.member = 2 : i64} {
    module @kernels {}
    tfir.dataset @d(x: tensor<f32>) {batch = 12 : i64, batch_of_worker = 6 : i64}
  }
}

// -----

module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
    // expected-error @+1 {{'exec.program' op is of the graph 'a#b', and '#' stands before the number of workers in a plan for several of them; rename the graph}}
    exec.program @a of "a#b" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 { ^bb0: }
  }
}

// -----

// expected-error @+1 {{is the same for 2 and for 3 workers: no graph has anything that they could share; write '?' for the number of examples in feeds and batches of a graph that minimizes something, or leave --workers out}}
module {
  module attributes {exec.member = 3 : i64} {
    module @kernels {}
    exec.program @g of "g" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 { ^bb0: }
  }
  module attributes {exec.member = 2 : i64} {
    module @kernels {}
    exec.program @g of "g" on "/job:ps/replica:0/task:0/device:CPU:0" arena 0 live 0 { ^bb0: }
  }
}
