// What makes categories refuses.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @bucketize_c1(%x: tensor<8xf32>, %b: tensor<2x2xf32>) {
  // expected-error @+1 {{'boundaries' has type 'tensor<2x2xf32>', expected a list of 'f32', as 'x' has}}
  %0 = tfir.bucketize %x, %b : (tensor<8xf32>, tensor<2x2xf32>) -> tensor<8xi32>
}

// -----

tfir.graph @bucketize_c1_type(%x: tensor<8xf32>, %b: tensor<2xi32>) {
  // expected-error @+1 {{'boundaries' has type 'tensor<2xi32>', expected a list of 'f32', as 'x' has}}
  %0 = tfir.bucketize %x, %b : (tensor<8xf32>, tensor<2xi32>) -> tensor<8xi32>
}

// -----

tfir.graph @hash_bucket_c1() {
  // expected-error @+1 {{hashes nothing, expected one key at least}}
  %0 = "tfir.hash_bucket"() {num_buckets = 10 : i64} : () -> tensor<8xi64>
}

// -----

tfir.graph @hash_bucket_c2(%a: tensor<8xi32>, %b: tensor<7xi64>) {
  // expected-error @+1 {{a key has type 'tensor<7xi64>', which does not broadcast with the keys before it}}
  %0 = tfir.hash_bucket %a, %b {num_buckets = 10} : (tensor<8xi32>, tensor<7xi64>) -> tensor<8xi64>
}

// -----

tfir.graph @hash_bucket_c3(%a: tensor<8xi32>) {
  // expected-error @+1 {{num_buckets is 0, expected at least 1}}
  %0 = tfir.hash_bucket %a {num_buckets = 0} : (tensor<8xi32>) -> tensor<8xi64>
}

// -----

tfir.graph @vocabulary_index_c1(%x: tensor<8xi64>, %v: tensor<2xi32>) {
  // expected-error @+1 {{'vocabulary' has type 'tensor<2xi32>', expected a list of 'i64', as 'x' has}}
  %0 = tfir.vocabulary_index %x, %v : (tensor<8xi64>, tensor<2xi32>) -> tensor<8xi64>
}
