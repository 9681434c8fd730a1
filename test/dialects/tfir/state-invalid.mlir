// What graphs, variables, datasets and scopes refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{has the type 'tensor<?xf32>', but a variable needs a static shape}}
tfir.variable @variable_c1 : tensor<?xf32> = #tfir.fill<1>

// -----

// expected-error @+1 {{starts as 'tensor<2xf32>', but has the type 'tensor<3xf32>'}}
tfir.variable @variable_c2 : tensor<3xf32> = dense<1.0> : tensor<2xf32>

// -----

// expected-error @+1 {{cannot start as 1 : i64; expected #tfir.fill, #tfir.random_normal}}
tfir.variable @variable_c2_other : tensor<f32> = 1

// -----

// expected-error @+1 {{starts with random numbers, which are f32, but has the type 'tensor<i32>'}}
tfir.variable @variable_c2_random : tensor<i32> = #tfir.random_uniform

// -----

// expected-error @+1 {{is transient, but does not start as 0; it holds sums that begin at 0 and are in no checkpoint: write 'trainable = false' and 0}}
tfir.variable @variable_c4 : tensor<f32> = #tfir.fill<1> {trainable = false, transient}

// -----

// expected-error @+1 {{is transient, but trained; it holds sums}}
tfir.variable @variable_c4_trained : tensor<f32> = #tfir.fill<0> {transient}

// -----

// expected-error @+1 {{has a field of type 'tensor<?xf32>', but examples need a static shape}}
tfir.dataset @dataset_c1(x: tensor<?xf32>)

// -----

// expected-error @+1 {{has a negative number; shuffle, repeat, prefetch and cache are at least 0}}
tfir.dataset @dataset_c2(x: tensor<f32>) {shuffle = -1}

// -----

// expected-error @+1 {{has a batch below 1}}
tfir.dataset @dataset_c2_batch(x: tensor<f32>) {batch = 0}

// -----

// expected-error @+1 {{has a min_after_dequeue of 4, which is from 0 to below shuffle, here 4}}
tfir.dataset @dataset_c2_queue(x: tensor<f32>) {shuffle = 4, min_after_dequeue = 4}

// -----

// expected-error @+1 {{has a cycle_length or block_length below 1}}
tfir.dataset @dataset_c2_cycle(x: tensor<f32>) {cycle_length = 0}

// -----

// expected-error @+1 {{has the mask 'y', which is none of several fields}}
tfir.dataset @dataset_c3(x: tensor<f32>, v: tensor<f32>) {mask = "y"}

// -----

// expected-error @+1 {{has a mask of type 'tensor<i64>'; declare it as f32 or i1}}
tfir.dataset @dataset_c3_type(x: tensor<f32>, v: tensor<i64>) {mask = "v"}

// -----

// expected-error @+1 {{augments 'y', which is no field of its files}}
tfir.dataset @dataset_c4(x: tensor<4x4xf32>)
    {augment = [#tfir.random_flip_up_down<field = "y">]}

// -----

// expected-error @+1 {{has 'random_flip_up_down' of 'x', which needs a field of u8 or f32 of height, width and channels, but this one is 'tensor<4xf32>'}}
tfir.dataset @dataset_c4_image(x: tensor<4xf32>)
    {augment = [#tfir.random_flip_up_down<field = "x">]}

// -----

// expected-error @+1 {{has 'convert_image_dtype' of 'x', which makes floats, but the field is 'tensor<4x4xui8>'; declare it as f32}}
tfir.dataset @dataset_c4_floats(x: tensor<4x4xui8>)
    {augment = [#tfir.convert_image_dtype<field = "x">]}

// -----

// expected-error @+1 {{has 'random_crop' of 'x', which cannot cut 'tensor<4x4xui8>' out of an image with width 1 and 1 of padding}}
tfir.dataset @dataset_c4_crop(x: tensor<4x4xui8>)
    {augment = [#tfir.random_crop<field = "x", pad = 1, from_width = 1>]}

// -----

// expected-error @+2 {{pad, from_height and from_width of a crop are from 0 to}}
tfir.dataset @crop_c1(x: tensor<4x4xui8>)
    {augment = [#tfir.random_crop<field = "x", pad = -1>]}

// -----

// expected-error @+2 {{max_delta of a brightness is negative}}
tfir.dataset @brightness_c1(x: tensor<4x4xui8>)
    {augment = [#tfir.random_brightness<field = "x", max_delta = -0.5>]}

// -----

// expected-error @+2 {{a contrast is drawn from lower to upper}}
tfir.dataset @contrast_c1(x: tensor<4x4xui8>)
    {augment = [#tfir.random_contrast<field = "x", lower = 1.5, upper = 0.5>]}

// -----

// expected-error @+1 {{names the field 'x' twice}}
tfir.dataset @dataset_twice(x: tensor<f32>, x: tensor<f32>)

// -----

// expected-error @+1 {{names the fetch 'y' twice}}
tfir.graph @graph_c1(%x: tensor<f32>) -> (y: tensor<f32>, y: tensor<f32>) {
  tfir.return %x, %x : tensor<f32>, tensor<f32>
}

// -----

tfir.graph @graph_c2(%x: tensor<f32>) -> (y: tensor<f32>) {
  // expected-error @+1 {{gives 0 values, but the graph 'graph_c2' has 1 fetches}}
  tfir.return
}

// -----

tfir.graph @graph_c2_type(%x: tensor<f32>) -> (y: tensor<i32>) {
  // expected-error @+1 {{gives 'tensor<f32>' for the fetch 'y' of type 'tensor<i32>'}}
  tfir.return %x : tensor<f32>
}

// -----

tfir.graph @device_yield(%x: tensor<f32>) {
  %0 = tfir.device "/gpu:0" -> tensor<i32> {
    // expected-error @+1 {{gives other types than the device scope says}}
    tfir.yield %x : tensor<f32>
  }
}

// -----

tfir.graph @read_c1() {
  // expected-error @+1 {{names no variable: 'w' is not declared; declare it with tfir.variable}}
  %0 = tfir.read @w : tensor<f32>
}

// -----

// expected-note @+1 {{declared here}}
tfir.variable @w : tensor<f32> = #tfir.fill<1>
tfir.graph @read_c2() {
  // expected-error @+1 {{uses 'w' as 'tensor<2xf32>', but it has the type 'tensor<f32>'}}
  %0 = tfir.read @w : tensor<2xf32>
}

// -----

tfir.graph @assign_c1(%x: tensor<f32>) {
  // expected-error @+1 {{names no variable: 'w' is not declared}}
  tfir.assign @w, %x : tensor<f32>
}

// -----

// expected-note @+1 {{declared here}}
tfir.variable @w : tensor<f32> = #tfir.fill<1>
tfir.graph @assign_c2(%x: tensor<i32>) {
  // expected-error @+1 {{uses 'w' as 'tensor<i32>'}}
  tfir.assign_add @w, %x : tensor<i32>
}

// -----

tfir.graph @next_c1() {
  // expected-error @+1 {{names no dataset: 'd' is not declared; declare it with tfir.dataset}}
  %0 = tfir.next @d : tensor<?xf32>
}

// -----

tfir.dataset @d(x: tensor<4xf32>)
tfir.graph @next_c2() {
  // expected-error @+1 {{gives 'tensor<?x5xf32>' for a field of type 'tensor<4xf32>'}}
  %0 = tfir.next @d : tensor<?x5xf32>
}

// -----

tfir.dataset @d(x: tensor<4xf32>)
tfir.graph @next_c2_count() {
  // expected-error @+1 {{gives 2 values, but the dataset 'd' has 1 fields}}
  %0:2 = tfir.next @d : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

tfir.dataset @next_c3(x: tensor<f32>)
tfir.graph @g() {
  // expected-error @+1 {{takes part 2 of 2; parts count from 0}}
  %0 = tfir.next @next_c3 {shard = 2 : i64, shards = 2 : i64} : tensor<4xf32>
}

// -----

tfir.dataset @next_c3_none(x: tensor<f32>)
tfir.graph @g() {
  // expected-error @+1 {{takes part 0 of 0; parts count from 0}}
  %0 = tfir.next @next_c3_none {shards = 0 : i64} : tensor<4xf32>
}

// -----

tfir.dataset @next_c3_negative(x: tensor<f32>)
tfir.graph @g() {
  // expected-error @+1 {{takes part -1 of 2; parts count from 0}}
  %0 = tfir.next @next_c3_negative {shard = -1 : i64, shards = 2 : i64} : tensor<4xf32>
}

// -----

// expected-error @+1 {{starts as #tfir.fill<300.0>, a number that 'ui8' does not have; give one that it has}}
tfir.variable @fill_above : tensor<2xui8> = #tfir.fill<300>

// -----

// expected-error @+1 {{starts as #tfir.fill<-1.0>, a number that 'ui8' does not have}}
tfir.variable @fill_below : tensor<2xui8> = #tfir.fill<-1>

// -----

// expected-error @+1 {{a number that 'i32' does not have}}
tfir.variable @fill_wide : tensor<2xi32> = #tfir.fill<2147483648>

// -----

// expected-error @+1 {{starts as #tfir.fill<1.5>, a number that 'i32' does not have}}
tfir.variable @fill_fraction : tensor<2xi32> = #tfir.fill<1.5>

// -----

// expected-error @+1 {{a number that 'f32' does not have}}
tfir.variable @fill_float : tensor<2xf32> = #tfir.fill<1.0e39>

// -----

// expected-error @+2 {{the number is beyond those that are exact here; write it as a dense constant}}
// expected-error @+1 {{failed to parse Tfir_FillAttr parameter 'value'}}
tfir.variable @fill_exact : tensor<2xi64> = #tfir.fill<9007199254740993>

// -----

// The ends of each type are numbers of it.
tfir.variable @low : tensor<i32> = #tfir.fill<-2147483648>
tfir.variable @high : tensor<i32> = #tfir.fill<2147483647>
tfir.variable @byte : tensor<ui8> = #tfir.fill<255>
tfir.variable @long : tensor<i64> = #tfir.fill<-9223372036854775808>
tfir.variable @exact : tensor<2xi64> = dense<9007199254740993> : tensor<2xi64>
tfir.variable @zero : tensor<i32> = #tfir.fill<-0.0>

// -----

tfir.dataset @outside(x: tensor<2xf32>)
// expected-error @+1 {{stands outside of a graph; move it into the tfir.graph that it belongs to}}
%x = tfir.next @outside : tensor<?x2xf32>

// -----

tfir.variable @outside : tensor<f32> = #tfir.fill<0>
// expected-error @+1 {{stands outside of a graph}}
%x = tfir.read @outside : tensor<f32>

// -----

// expected-error @+1 {{has a tensor of 33 dimensions, at most 32 are possible; merge some with tfir.reshape}}
tfir.variable @rank : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> = #tfir.fill<0>

// -----

// expected-error @+1 {{has a feed of 33 dimensions, at most 32 are possible}}
tfir.graph @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
}

// -----

tfir.graph @rank(%x: tensor<1xf32>) {
  // expected-error @+1 {{has a result of 33 dimensions, at most 32 are possible}}
  %y = tfir.reshape %x : (tensor<1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
}

// -----

// expected-error @+1 {{has a field of 33 dimensions}}
tfir.dataset @rank(x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>)

// -----

// expected-error @+2 {{failed to parse Tfir_FillAttr parameter 'value'}}
// expected-error @+1 {{the number is not finite; where infinity is meant, write it as a dense constant, such as dense<0x7F800000> : tensor<f32>}}
tfir.variable @beyond : tensor<f32> = #tfir.fill<8.0e318>

// -----

tfir.variable @infinite : tensor<f32> = dense<0x7F800000> : tensor<f32>

// -----

// expected-error @+1 {{op has 0 : i64 as 'replicas', expected a number from 1 to 4096}}
tfir.graph @no_towers() attributes {replicas = 0 : i64} {
}

// -----

// expected-error @+1 {{has a feed of type 'memref<?x2xui8>', expected a tensor of f32, f64, f16, bf16, i8 to i64, ui8 to ui64, i1 or !tfir.string}}
tfir.graph @memory(%x: memref<?x2xui8>) {
}

// -----

// expected-error @+1 {{has a field of type 'tensor<2xi16>', but no file is read as that; declare it as f32, f64, i32 or i64, and cast it in the graph}}
tfir.dataset @short(x: tensor<2xi16>)

// -----

// expected-error @+1 {{has a field of type 'tensor<2xf16>', but no file is read as that; declare it as f32, f64, i32 or i64, and cast it in the graph}}
tfir.dataset @half(x: tensor<2xf16>)

// -----

// expected-error @+1 {{has the type 'tensor<2xbf16>', but a variable keeps more than 16 bits, so that small updates are not lost; declare it as f32 and cast what is read, or compile with --precision}}
tfir.variable @half : tensor<2xbf16> = #tfir.fill<0.0>
