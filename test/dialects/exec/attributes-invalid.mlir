// Attributes of exec on ops of other dialects.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{'builtin.module' op has 0 : i64 as 'exec.member', expected a number of workers (i64), on a module}}
module attributes {exec.member = 0} {
}

// -----

// expected-error @+1 {{has true as 'exec.separate_rounding', expected no value, on a module}}
module attributes {exec.separate_rounding = true} {
}

// -----

// expected-error @+1 {{'func.func' op has "all" as 'exec.units', expected a number from 0 (i64), on a function}}
func.func private @units() attributes {exec.units = "all"}

// -----

// expected-error @+1 {{has -1 : i64 as 'exec.scratch', expected a number from 0 (i64), on a function}}
func.func private @scratch() attributes {exec.scratch = -1}

// -----

// expected-error @+1 {{has 0 : i64 as 'exec.block', expected a number from 1 (i64), on a function}}
func.func private @block() attributes {exec.block = 0}

// -----

// expected-error @+1 {{has the attribute 'exec.other', which the dialect exec does not have on ops}}
func.func private @other() attributes {exec.other}

// -----

// expected-error @+1 {{has -1 : i64 as 'exec.step_state_word', expected a number from 0 (i64)}}
func.func private @word(tensor<i32> {exec.step_state_word = -1})

// -----

// expected-error @+1 {{has the attribute 'exec.inplace', which the dialect exec does not have on arguments}}
func.func private @argument(tensor<i32> {exec.inplace = 0})

// -----

// expected-error @+1 {{has "x" as 'exec.inplace', expected a number from 0 (i64)}}
func.func private @result(tensor<i32>) -> (tensor<i32> {exec.inplace = "x"})

// -----

// expected-error @+1 {{has the attribute 'exec.units', which the dialect exec does not have on results}}
func.func private @results(tensor<i32>) -> (tensor<i32> {exec.units = 1})

// -----

tfir.graph @names(%x: tensor<2xf32>) {
  // expected-error @+1 {{'exec.launch' op has 2 'result_names' for 1 results}}
  %y = exec.launch @k(%x) {result_names = ["a", "b"]} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

// expected-error @+1 {{'exec.program' op has 'replicas' or 'member' below 1}}
exec.program @p of "p" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 0 live 0
    attributes {member = 0} { ^bb0: }

// -----

// expected-error @+1 {{'exec.program' op has a negative 'updates_from'}}
exec.program @p of "p" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 0 live 0
    attributes {updates_from = -1} { ^bb0: }

// -----

// expected-error @+2 {{attribute 'order' failed to satisfy constraint}}
exec.program @p of "p" on "/job:localhost/replica:0/task:0/device:CPU:0" arena 0 live 0
    attributes {order = [0, 1]} { ^bb0: }
