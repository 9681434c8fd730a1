// What feature columns refuse to wrap, and what their features may be.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

tfir.graph @no_column(%a: tensor<8xf32>) {
  // expected-error @+2 {{failed to parse Tfir_IndicatorColumnAttr parameter 'categorical_column'}}
  // expected-error @+1 {{expected a feature column, such as #tfir.numeric_column<key = "age">}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.indicator_column<categorical_column = #tfir.sgd<learning_rate = 0.1>>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @numeric_c1(%a: tensor<8xf32>) {
  // expected-error @+1 {{the key of a numeric_column is empty, expected a name such as "age"}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "">]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @numeric_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{the numeric_column 'a' has a shape with less than 1 or more than 2147483647 numbers}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a", shape = [2, 0]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @numeric_c2_large(%a: tensor<8xf32>) {
  // expected-error @+1 {{the numeric_column 'a' has a shape with less than 1 or more than 2147483647 numbers}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a", shape = [65536, 65536]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @numeric_c3(%a: tensor<8xf32>) {
  // expected-error @+1 {{the numeric_column 'a' is divided by a scale of 0}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a", scale = 0>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c1(%a: tensor<8xf32>) {
  // expected-error @+1 {{bucketized_column wraps the categorical_column_with_identity 'i', expected a numeric_column}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, boundaries = [1]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c1_twice(%a: tensor<8xf32>) {
  // expected-error @+1 {{bucketized_column wraps the bucketized_column 'a_bucketized', expected a numeric_column}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.bucketized_column<source_column = #tfir.numeric_column<key = "a">, boundaries = [1, 2]>, boundaries = [1]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c1_rank(%a: tensor<8xf32>) {
  // expected-error @+1 {{bucketized_column wraps the numeric_column 'a' of 2 dimensions, expected one of 1, such as [8]}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.numeric_column<key = "a", shape = [2, 2]>, boundaries = [1]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c2_empty(%a: tensor<8xf32>) {
  // expected-error @+1 {{boundaries of the bucketized_column of 'a' are empty, expected one at least}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.numeric_column<key = "a">, boundaries = []>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{boundaries of the bucketized_column of 'a' do not ascend as f32}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.numeric_column<key = "a">, boundaries = [1, 3, 2]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c2_rounded(%a: tensor<8xf32>) {
  // expected-error @+1 {{boundaries of the bucketized_column of 'a' do not ascend as f32}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.numeric_column<key = "a">, boundaries = [1.0, 1.00000000001]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @bucketized_c3(%a: tensor<8xf32>) {
  // expected-error @+1 {{the bucketized_column of 'a' has more than 2147483647 buckets}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.bucketized_column<source_column = #tfir.numeric_column<key = "a", shape = [2147483647]>, boundaries = [1]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @identity_c1(%i: tensor<8xi64>) {
  // expected-error @+1 {{the key of a categorical_column_with_identity is empty}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_identity<key = "", num_buckets = 5>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @identity_c2(%i: tensor<8xi64>) {
  // expected-error @+1 {{num_buckets is 0, expected at least 1}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_identity<key = "i", num_buckets = 0>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @identity_c3(%i: tensor<8xi64>) {
  // expected-error @+1 {{default_value is 5, expected one of the categories from 0 to 4, or -1 for none}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_identity<key = "i", num_buckets = 5, default_value = 5>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c1(%i: tensor<8xi64>) {
  // expected-error @+1 {{the key of a categorical_column_with_vocabulary_list is empty}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "", vocabulary_list = [1]>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c2_empty(%i: tensor<8xi64>) {
  // expected-error @+1 {{vocabulary_list of 'i' is empty, expected integers such as [101, 205]}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = []>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c2_twice(%i: tensor<8xi64>) {
  // expected-error @+1 {{vocabulary_list of 'i' has 7 twice}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7, 8, 7]>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c2_missing(%i: tensor<8xi64>) {
  // expected-error @+1 {{vocabulary_list of 'i' has -1, which is a missing value}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7, -1]>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c3(%i: tensor<8xi64>) {
  // expected-error @+1 {{default_value is 2, expected one of the categories from 0 to 1, or -1 for none}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7, 8], default_value = 2>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c4(%i: tensor<8xi64>) {
  // expected-error @+1 {{num_oov_buckets is -1, expected at least 0}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7, 8], num_oov_buckets = -1>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c4_both(%i: tensor<8xi64>) {
  // expected-error @+1 {{has num_oov_buckets of 3 and the default_value 0, expected one of both}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7, 8], default_value = 0, num_oov_buckets = 3>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @vocabulary_c4_large(%i: tensor<8xi64>) {
  // expected-error @+1 {{num_oov_buckets is 9223372036854775807, with the vocabulary more than 64 bits count}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7, 8], num_oov_buckets = 9223372036854775807>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @hash_c1(%i: tensor<8xi64>) {
  // expected-error @+1 {{the key of a categorical_column_with_hash_bucket is empty}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_hash_bucket<key = "", hash_bucket_size = 5>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @hash_c2(%i: tensor<8xi64>) {
  // expected-error @+1 {{hash_bucket_size is -5, expected at least 1}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_hash_bucket<key = "i", hash_bucket_size = -5>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c1(%i: tensor<8xi64>) {
  // expected-error @+1 {{crossed_column has 1 keys, expected at least 2}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.crossed_column<keys = ["i"], hash_bucket_size = 9>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c1_empty(%i: tensor<8xi64>) {
  // expected-error @+1 {{the key of a crossed_column is empty}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.crossed_column<keys = ["i", ""], hash_bucket_size = 9>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c2(%a: tensor<8xf32>, %i: tensor<8xi64>) {
  // expected-error @+1 {{crossed_column wraps the numeric_column 'a', which has no categories; expected a column of categories, such as a bucketized_column of it}}
  %0 = tfir.input_layer %a, %i {keys = ["a", "i"], columns = [#tfir.crossed_column<keys = ["i", #tfir.numeric_column<key = "a">], hash_bucket_size = 9>]} : (tensor<8xf32>, tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c2_indicator(%i: tensor<8xi64>) {
  // expected-error @+1 {{crossed_column wraps the indicator_column 'i_indicator', which has no categories}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.crossed_column<keys = ["i", #tfir.indicator_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>>], hash_bucket_size = 9>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c2_hash(%i: tensor<8xi64>, %j: tensor<8x3xi32>) {
  // expected-error @+1 {{crossed_column has the categorical_column_with_hash_bucket 'i', whose hash would be hashed again; write its key "i" in its place}}
  %0 = tfir.input_layer %i, %j {keys = ["i", "j"], columns = [#tfir.crossed_column<keys = ["j", #tfir.categorical_column_with_hash_bucket<key = "i", hash_bucket_size = 5>], hash_bucket_size = 9>]} : (tensor<8xi64>, tensor<8x3xi32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c2_number(%i: tensor<8xi64>) {
  // expected-error @+1 {{crossed_column has 3 : i64 among its keys, expected keys of features, such as "town", and columns of categories}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.crossed_column<keys = ["i", 3], hash_bucket_size = 9>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @crossed_c3(%i: tensor<8xi64>, %j: tensor<8x3xi32>) {
  // expected-error @+1 {{hash_bucket_size is 0, expected at least 1}}
  %0 = tfir.input_layer %i, %j {keys = ["i", "j"], columns = [#tfir.crossed_column<keys = ["i", "j"], hash_bucket_size = 0>]} : (tensor<8xi64>, tensor<8x3xi32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @indicator_c1(%a: tensor<8xf32>) {
  // expected-error @+1 {{indicator_column wraps the numeric_column 'a', which has no categories; expected a column of categories, such as a bucketized_column of it}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.indicator_column<categorical_column = #tfir.numeric_column<key = "a">>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @indicator_c1_embedding(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{indicator_column wraps the embedding_column 'i_embedding', which has no categories; expected a column of categories}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.indicator_column<categorical_column = #tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "t">>]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @indicator_c1_large(%i: tensor<8xi64>) {
  // expected-error @+1 {{indicator_column of the categorical_column_with_hash_bucket 'i' has a number for each of 1099511627776 categories, at most 2147483647 are possible; hash them into fewer}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.indicator_column<categorical_column = #tfir.categorical_column_with_hash_bucket<key = "i", hash_bucket_size = 1099511627776>>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @embedding_c1(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{embedding_column wraps the indicator_column 'i_indicator', which has no categories; expected a column of categories}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.indicator_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>>, table = "t">]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @embedding_c1_numeric(%a: tensor<8xf32>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{embedding_column wraps the numeric_column 'a', which has no categories; expected a column of categories, such as a bucketized_column of it}}
  %0 = tfir.input_layer %a, %t {keys = ["a", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.numeric_column<key = "a">, table = "t">]} : (tensor<8xf32>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @embedding_c2(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{the table of the embedding_column of 'i' is empty, expected the key of an operand}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "">]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @embedding_c3(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{combiner is 'max', expected 'mean', 'sum' or 'sqrtn'}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "t", combiner = "max">]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c1(%a: tensor<8xf32>, %i: tensor<8xi64>) {
  // expected-error @+1 {{has 1 keys for 2 operands, expected one for each}}
  %0 = tfir.input_layer %a, %i {keys = ["a"], columns = [#tfir.numeric_column<key = "a">]} : (tensor<8xf32>, tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c1_twice(%a: tensor<8xf32>, %i: tensor<8xi64>) {
  // expected-error @+1 {{has the key 'a' twice, expected different names}}
  %0 = tfir.input_layer %a, %i {keys = ["a", "a"], columns = [#tfir.numeric_column<key = "a">]} : (tensor<8xf32>, tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c1_empty(%a: tensor<8xf32>, %i: tensor<8xi64>) {
  // expected-error @+1 {{has the key '', expected different names}}
  %0 = tfir.input_layer %a, %i {keys = ["a", ""], columns = [#tfir.numeric_column<key = "a">]} : (tensor<8xf32>, tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{has no columns, expected one at least}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = []} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c2_categorical(%i: tensor<8xi64>) {
  // expected-error @+1 {{has the categorical_column_with_identity 'i', which has categories and no numbers; expected it within an indicator_column or an embedding_column}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.categorical_column_with_identity<key = "i", num_buckets = 5>]} : (tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c2_names(%a: tensor<8xf32>) {
  // expected-error @+1 {{has two columns with the name 'a', expected different ones, for their order}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a">, #tfir.numeric_column<key = "a", mean = 1>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c2_width(%i: tensor<8xi64>, %j: tensor<8x3xi32>) {
  // expected-error @+1 {{has columns of more than 2147483647 numbers together; hash categories into fewer}}
  %0 = tfir.input_layer %i, %j {keys = ["i", "j"], columns = [#tfir.indicator_column<categorical_column = #tfir.categorical_column_with_hash_bucket<key = "i", hash_bucket_size = 2147483647>>, #tfir.indicator_column<categorical_column = #tfir.categorical_column_with_hash_bucket<key = "j", hash_bucket_size = 2147483647>>]} : (tensor<8xi64>, tensor<8x3xi32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c3(%a: tensor<8xf32>, %i: tensor<8xi64>) {
  // expected-error @+1 {{has a column of the feature 'b', which no operand is; its keys are 'a', 'i'}}
  %0 = tfir.input_layer %a, %i {keys = ["a", "i"], columns = [#tfir.numeric_column<key = "b">]} : (tensor<8xf32>, tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c3_table(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{has a column of the table 'tt', which no operand is; its keys are 'i', 't'}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "tt">]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c3_unused(%a: tensor<8xf32>, %i: tensor<8xi64>) {
  // expected-error @+1 {{has no column of 'i', expected one, or no such operand}}
  %0 = tfir.input_layer %a, %i {keys = ["a", "i"], columns = [#tfir.numeric_column<key = "a">]} : (tensor<8xf32>, tensor<8xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c3_both(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{has columns of 't' as a feature and as a table, expected two keys}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "t">, #tfir.numeric_column<key = "t", shape = [4]>]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_numeric(%a: tensor<8x3xf32>) {
  // expected-error @+1 {{feature 'a' has type 'tensor<8x3xf32>', but its numeric_column takes numbers of [batch, 1]; expected these, or another 'shape' of the column}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a">]} : (tensor<8x3xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_numeric_rank(%a: tensor<f32>) {
  // expected-error @+1 {{feature 'a' has type 'tensor<f32>', but its numeric_column takes numbers of [batch, 1]}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a">]} : (tensor<f32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_numeric_shape(%a: tensor<8xf32>) {
  // expected-error @+1 {{feature 'a' has type 'tensor<8xf32>', but its numeric_column takes numbers of [batch, 2, 3]}}
  %0 = tfir.input_layer %a {keys = ["a"], columns = [#tfir.numeric_column<key = "a", shape = [2, 3]>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_identity(%i: tensor<8xf32>) {
  // expected-error @+1 {{feature 'i' has type 'tensor<8xf32>', but a categorical_column_with_identity takes integers up to i64; expected them with the dimensions [batch] or [batch, n]}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.indicator_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>>]} : (tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_vocabulary(%i: tensor<8x2x2xi32>) {
  // expected-error @+1 {{feature 'i' has type 'tensor<8x2x2xi32>', but a categorical_column_with_vocabulary_list takes integers}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.indicator_column<categorical_column = #tfir.categorical_column_with_vocabulary_list<key = "i", vocabulary_list = [7]>>]} : (tensor<8x2x2xi32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_hash(%i: tensor<8xui64>) {
  // expected-error @+1 {{feature 'i' has type 'tensor<8xui64>', but a categorical_column_with_hash_bucket takes integers up to i64}}
  %0 = tfir.input_layer %i {keys = ["i"], columns = [#tfir.indicator_column<categorical_column = #tfir.categorical_column_with_hash_bucket<key = "i", hash_bucket_size = 5>>]} : (tensor<8xui64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_crossed(%i: tensor<8xi64>, %a: tensor<8xf32>) {
  // expected-error @+1 {{feature 'a' has type 'tensor<8xf32>', but a crossed_column takes integers up to i64}}
  %0 = tfir.input_layer %i, %a {keys = ["i", "a"], columns = [#tfir.indicator_column<categorical_column = #tfir.crossed_column<keys = ["i", "a"], hash_bucket_size = 9>>]} : (tensor<8xi64>, tensor<8xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_crossed_many(%i: tensor<8x65536xi32>, %j: tensor<8x65536xi32>) {
  // expected-error @+1 {{the crossed_column 'i_X_j' has more than 2147483647 combinations in an example}}
  %0 = tfir.input_layer %i, %j {keys = ["i", "j"], columns = [#tfir.indicator_column<categorical_column = #tfir.crossed_column<keys = ["i", "j"], hash_bucket_size = 9>>]} : (tensor<8x65536xi32>, tensor<8x65536xi32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_table(%i: tensor<8xi64>, %t: tensor<5x4xf32>) {
  // expected-error @+1 {{table 't' has type 'tensor<5x4xf32>', but the categorical_column_with_identity 'i' has 6 categories; expected f32 of [6, size], a row for each}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 6>, table = "t">]} : (tensor<8xi64>, tensor<5x4xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_table_type(%i: tensor<8xi64>, %t: tensor<5x4xf64>) {
  // expected-error @+1 {{table 't' has type 'tensor<5x4xf64>', but the categorical_column_with_identity 'i' has 5 categories; expected f32 of [5, size], a row for each}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "t">]} : (tensor<8xi64>, tensor<5x4xf64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c4_table_rank(%i: tensor<8xi64>, %t: tensor<5xf32>) {
  // expected-error @+1 {{table 't' has type 'tensor<5xf32>'}}
  %0 = tfir.input_layer %i, %t {keys = ["i", "t"], columns = [#tfir.embedding_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>, table = "t">]} : (tensor<8xi64>, tensor<5xf32>) -> tensor<8x1xf32>
}

// -----

tfir.graph @layer_c5(%a: tensor<8xf32>, %i: tensor<7xi64>) {
  // expected-error @+1 {{feature 'i' has 7 examples and 'a' 8, expected as many}}
  %0 = tfir.input_layer %a, %i {keys = ["a", "i"], columns = [#tfir.numeric_column<key = "a">, #tfir.indicator_column<categorical_column = #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>>]} : (tensor<8xf32>, tensor<7xi64>) -> tensor<8x1xf32>
}

// -----

tfir.graph @linear_c1(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{has 3 keys for 4 operands, expected one for each}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c2(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{has two columns with the name 'a', expected different ones, for their order}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "a", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c3(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{has a column of the table 'v', which no operand is; its keys are 'a', 'i', 'w', 't'}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "v"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c3_bias(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{has a column of the table 'b', which no operand is}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"], bias = "b"} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c3_unused(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{has no column of 'b', expected one, or no such operand}}
  %0 = tfir.linear_model %a, %i, %w, %t, %b {keys = ["a", "i", "w", "t", "b"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c4(%a: tensor<8xf32>, %i: tensor<8xf32>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{feature 'i' has type 'tensor<8xf32>', but a categorical_column_with_identity takes integers up to i64}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xf32>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c5(%a: tensor<8xf32>, %i: tensor<7xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{feature 'i' has 7 examples and 'a' 8, expected as many}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<7xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c6(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{has 1 keys of weights for 2 columns, expected one for each}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c6_rows(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<6x2xf32>) {
  // expected-error @+1 {{weights 't' of the categorical_column_with_identity 'i' have type 'tensor<6x2xf32>', expected f32 of [5, 2]}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c6_units(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x3xf32>) {
  // expected-error @+1 {{weights 't' of the categorical_column_with_identity 'i' have type 'tensor<5x3xf32>', expected f32 of [5, 2]}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x3xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c6_first(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{weights 'w' of the numeric_column 'a' have type 'tensor<1xf32>', expected f32 of [1, units]}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"]} : (tensor<8xf32>, tensor<8xi64>, tensor<1xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c6_bias(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{bias 'b' has type 'tensor<1xf32>', expected f32 of [2]}}
  %0 = tfir.linear_model %a, %i, %w, %t, %b {keys = ["a", "i", "w", "t", "b"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"], bias = "b"} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>, tensor<1xf32>) -> tensor<8x2xf32>
}

// -----

tfir.graph @linear_c7(%a: tensor<8xf32>, %i: tensor<8xi64>, %w: tensor<1x2xf32>, %t: tensor<5x2xf32>) {
  // expected-error @+1 {{sparse_combiner is 'max', expected 'mean', 'sum' or 'sqrtn'}}
  %0 = tfir.linear_model %a, %i, %w, %t {keys = ["a", "i", "w", "t"], columns = [#tfir.numeric_column<key = "a">, #tfir.categorical_column_with_identity<key = "i", num_buckets = 5>], weights = ["w", "t"], sparse_combiner = "max"} : (tensor<8xf32>, tensor<8xi64>, tensor<1x2xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
}
