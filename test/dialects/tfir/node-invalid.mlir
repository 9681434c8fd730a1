// Attributes that any op may carry, with values of other types; attributes of
// graphs, variables and modules that only the compiler writes.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @name(%x: tensor<2xf32>) {
  // expected-error @+1 {{'tfir.neg' op has 3 : i64 as 'name', expected a string such as "loss"}}
  %0 = tfir.neg %x {name = 3} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @device(%x: tensor<2xf32>) {
  // expected-error @+1 {{has 1 : i64 as 'device', expected a string such as "/gpu:0"}}
  %0 = tfir.neg %x {device = 1} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

// expected-error @+1 {{'tfir.variable' op has 3 : i64 as 'assigned_device', expected a device such as #tfir.device<"/device:GPU:0">}}
tfir.variable @v : tensor<f32> = #tfir.fill<0> {assigned_device = 3}

// -----

tfir.graph @colocation(%x: tensor<2xf32>) {
  // expected-error @+1 {{has 1 : i64 as 'colocate_with', expected the name of an op or a variable, such as "fc1/weights"}}
  %0 = tfir.neg %x {colocate_with = 1} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @colocations(%x: tensor<2xf32>) {
  // expected-error @+1 {{has ["a", 1] as 'colocate_with', expected the name of an op or a variable}}
  %0 = tfir.neg %x {colocate_with = ["a", 1]} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @tower(%x: tensor<2xf32>) {
  // expected-error @+1 {{has -1 : i64 as 'replica', expected a number from 0, such as 3 : i64}}
  %0 = tfir.neg %x {replica = -1} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @collective(%x: tensor<2xf32>) {
  // expected-error @+1 {{has 1 : i32 as 'collective', expected a number from 0}}
  %0 = tfir.neg %x {collective = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @level(%x: tensor<2xf32>) {
  // expected-error @+1 {{has "a" as 'level', expected a number from 0}}
  %0 = tfir.neg %x {level = "a"} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

tfir.graph @fallback(%x: tensor<2xf32>) {
  // expected-error @+1 {{has true as 'fallback', expected no value}}
  %0 = tfir.neg %x {fallback = true} : (tensor<2xf32>) -> tensor<2xf32>
}

// -----

// expected-error @+1 {{'tfir.graph' op attribute 'split_feeds' failed to satisfy constraint}}
tfir.graph @split(%x: tensor<2xf32>) attributes {split_feeds = [true]} {
}

// -----

// expected-error @+1 {{'tfir.graph' op has "all" as 'replicas', expected a number from 1 to 4096}}
tfir.graph @replicas() attributes {replicas = "all"} {
}

// -----

// expected-error @+1 {{'tfir.variable' op is a shard with 'part_of' and 'part_row', which is not negative, or has neither}}
tfir.variable @shard : tensor<f32> = #tfir.fill<0> {part_of = "w"}

// -----

// expected-error @+1 {{worker is 2 of 2, expected one that counts from 0}}
tfir.graph @worker() attributes {instance = #tfir.instance<of = "g", worker = 2, workers = 2, coordination = none>} {
}

// -----

// expected-error @+1 {{staleness is 1, expected at least -1, and -1 unless coordination is async}}
tfir.graph @staleness() attributes {instance = #tfir.instance<of = "g", worker = 0, workers = 2, coordination = none, staleness = 1>} {
}

// -----

// expected-error @+1 {{quorum and apply belong to the coordination quorum, which needs both}}
tfir.graph @quorum() attributes {instance = #tfir.instance<of = "g", worker = 0, workers = 2, coordination = quorum, quorum = 1>} {
}

// -----

// expected-error @+1 {{the module has 3 : i64 as 'tfir.cpu_target', expected the name of a target of CPUs, on a module}}
module attributes {tfir.cpu_target = 3} {
}

// -----

func.func @join() {
  // expected-error @+1 {{'func.return' op has 0 : i64 as 'tfir.join', expected a dimension (i64), on a linalg.generic}}
  return {tfir.join = 0}
}

// -----

// expected-error @+1 {{'builtin.module' op has the attribute 'tfir.other', which the dialect tfir does not have}}
module attributes {tfir.other} {
}
