// What slots and copies refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

exec.program @slot_c1 of "g" on "/device:CPU:0" arena 64 live 64 {
  // expected-error @+1 {{a place and a lifetime belong to arena slots}}
  %x = exec.slot arena at 0 : <tensor<8xf32>>
}

// -----

exec.program @slot_c1_variable of "g" on "/device:CPU:0" arena 64 live 64 {
  // expected-error @+1 {{a place and a lifetime belong to arena slots}}
  %x = exec.slot variable @w at 0 first 0 last 0 : <tensor<8xf32>>
}

// -----

exec.program @slot_c1_alignment of "g" on "/device:CPU:0" arena 64 live 64 {
  // expected-error @+1 {{lies at 8, which is not a multiple of 64}}
  %x = exec.slot arena at 8 first 0 last 0 : <tensor<8xf32>>
}

// -----

exec.program @slot_c2_variable of "g" on "/device:CPU:0" arena 64 live 64 {
  // expected-error @+1 {{a variable slot names a variable, a constant slot has a value}}
  %x = exec.slot variable : <tensor<8xf32>>
}

// -----

exec.program @slot_c2_constant of "g" on "/device:CPU:0" arena 64 live 64 {
  // expected-error @+1 {{a variable slot names a variable, a constant slot has a value}}
  %x = exec.slot constant : <tensor<8xf32>>
}

// -----

exec.program @slot_kind of "g" on "/device:CPU:0" arena 64 live 64 {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [arena, variable, constant, step_state]}}
  %x = exec.slot register : <tensor<8xf32>>
}

// -----

exec.program @copy_c1 of "g" on "/device:CPU:0" arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xf32>>
  %y = exec.slot arena at 64 first 0 last 0 : <tensor<8xui8>>
  // expected-error @+1 {{copies 32 bytes to a slot of 8}}
  exec.copy %x to %y waits [] : <tensor<8xf32>>, <tensor<8xui8>>
}

// -----

exec.program @fill_c1 of "g" on "/device:CPU:0" arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xf32>>
  // expected-error @+1 {{fills a slot of 'f32' with 'tensor<i32>'; expected one element of that type}}
  exec.fill %x with dense<1> : tensor<i32> waits [] : <tensor<8xf32>>
}

// -----

exec.program @all_reduce_c1 of "g" on "/device:GPU:0" arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xf32>>
  %y = exec.slot arena at 64 first 0 last 0 : <tensor<8xf32>>
  // expected-error @+1 {{has the number 0; they count from 1}}
  exec.all_reduce 0 %x to %y waits [] : <tensor<8xf32>>, <tensor<8xf32>>
}

// -----

exec.program @serves of "g" on "/device:GPU:0" arena 128 live 128 {
  // expected-error @+1 {{serves all_reduce 0; they count from 1}}
  exec.sleep 1 waits [] {serves = 0 : i64}
}

// -----

exec.program @all_reduce_c2 of "g" on "/device:GPU:0" arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xf32>>
  %y = exec.slot arena at 64 first 0 last 0 : <tensor<9xf32>>
  // expected-error @+1 {{adds up 'tensor<8xf32>' to a slot of 'tensor<9xf32>'; expected as many 32-bit floats}}
  exec.all_reduce 1 %x to %y waits [] : <tensor<8xf32>>, <tensor<9xf32>>
}

// -----

exec.program @all_reduce_c2_type of "g" on "/device:GPU:0" arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xi32>>
  %y = exec.slot arena at 64 first 0 last 0 : <tensor<8xf32>>
  // expected-error @+1 {{adds up 'tensor<8xi32>'}}
  exec.all_reduce 1 %x to %y waits [] : <tensor<8xi32>>, <tensor<8xf32>>
}
