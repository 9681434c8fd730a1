// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/TfNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace graphc {

static constexpr TfName kTfNames[] = {
    {"adagrad", "tfir.minimize",
     "%loss using #tfir.adagrad<learning_rate = 0.1>"},
    {"adagrad_optimizer", "tfir.minimize",
     "%loss using #tfir.adagrad<learning_rate = 0.1>"},
    {"adam", "tfir.minimize", "%loss using #tfir.adam<learning_rate = 0.1>"},
    {"adam_optimizer", "tfir.minimize",
     "%loss using #tfir.adam<learning_rate = 0.1>"},
    {"apply_gradient_descent", "tfir.minimize",
     "%loss using #tfir.sgd<learning_rate = 0.1>"},
    {"argmax", "tfir.arg_max", ""},
    {"argmin", "tfir.arg_max", "of the negated tensor, by tfir.neg"},
    {"assign_add_variable_op", "tfir.assign_add", ""},
    {"assign_sub_variable_op", "tfir.assign_sub", ""},
    {"assign_variable_op", "tfir.assign", ""},
    {"average_pooling2d", "tfir.avg_pool", ""},
    {"basic_lstm_cell", "",
     "write it with tfir.matmul, tfir.sigmoid and tfir.tanh"},
    {"batch_mat_mul", "tfir.matmul", ""},
    {"batch_mat_mul_v2", "tfir.matmul", ""},
    {"batch_matmul", "tfir.matmul", ""},
    {"batch_normalization", "tfir.rsqrt",
     "write it with tfir.mean, tfir.squared_difference, tfir.rsqrt and "
     "tfir.mul"},
    {"bidirectional_dynamic_rnn", "",
     "there is no control flow; write the steps one after the other"},
    {"boolean_mask", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"broadcast", "tfir.broadcast_to", ""},
    {"case", "",
     "there is no control flow; write the steps one after the other"},
    {"check_numerics", "tfir.identity",
     "graphc-run --check-numerics looks at every value"},
    {"clip_by_global_norm", "tfir.minimum",
     "of 1 and the bound divided by the norm, then tfir.mul"},
    {"clip_by_norm", "tfir.minimum",
     "of 1 and the bound divided by the norm, then tfir.mul"},
    {"concat_v2", "tfir.concat", ""},
    {"cond", "tfir.select",
     "both sides are computed; there is no control flow"},
    {"constant", "tfir.const", ""},
    {"control_dependencies", "tfir.identity",
     "the order of the text is the order of effects"},
    {"conv1d", "tfir.conv2d", "with a height of 1"},
    {"conv2d_transpose", "tfir.conv2d_backprop_input", ""},
    {"data_dataset", "tfir.dataset", ""},
    {"dense", "tfir.matmul",
     "then tfir.bias_add and an activation; the variables are declared with "
     "tfir.variable"},
    {"diag", "tfir.mul", "of the tensor and a dense constant"},
    {"divide", "tfir.div", ""},
    {"dynamic_partition", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"dynamic_rnn", "",
     "there is no control flow; write the steps one after the other"},
    {"dynamic_stitch", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"embedding_lookup_sparse", "",
     "tfir.matmul of tfir.one_hot of the ids and the table gives the same "
     "rows"},
    {"expand_dims", "tfir.reshape", ""},
    {"exponential_decay", "tfir.minimize",
     "learning_rate = #tfir.exponential_decay<...> in the optimizer"},
    {"exponential_moving_average", "tfir.ema", ""},
    {"eye", "tfir.const", "a dense constant"},
    {"fifo_queue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"fill", "tfir.const",
     "dense<0.5> : tensor<2x3xf32> is the same number everywhere"},
    {"flatten", "tfir.reshape", ""},
    {"floor_div", "tfir.floor", "of tfir.div, for floats"},
    {"foldl", "",
     "there is no control flow; write the steps one after the other"},
    {"foldr", "",
     "there is no control flow; write the steps one after the other"},
    {"fully_connected", "tfir.matmul",
     "then tfir.bias_add and an activation; the variables are declared with "
     "tfir.variable"},
    {"fused_batch_norm", "tfir.rsqrt",
     "write it with tfir.mean, tfir.squared_difference, tfir.rsqrt and "
     "tfir.mul"},
    {"gather_v2", "tfir.gather", ""},
    {"get_next", "tfir.next", ""},
    {"get_variable", "tfir.variable",
     "at the top of the file: tfir.variable @w : tensor<2xf32> = "
     "#tfir.fill<0>"},
    {"global_norm", "tfir.sqrt", "of the sum of tfir.l2_loss, times 2"},
    {"global_variables_initializer", "tfir.variable",
     "the compiler makes the graph 'init' of the variables' first values"},
    {"gradient_descent", "tfir.minimize",
     "%loss using #tfir.sgd<learning_rate = 0.1>"},
    {"gradient_descent_optimizer", "tfir.minimize",
     "%loss using #tfir.sgd<learning_rate = 0.1>"},
    {"group", "tfir.identity", "the order of the text is the order of effects"},
    {"gru_cell", "", "write it with tfir.matmul, tfir.sigmoid and tfir.tanh"},
    {"histogram", "tfir.summary.histogram", ""},
    {"histogram_summary", "tfir.summary.histogram", ""},
    {"in_top_k", "tfir.equal", "of tfir.arg_max and the labels, for k = 1"},
    {"inv", "tfir.reciprocal", ""},
    {"iterator_get_next", "tfir.next", ""},
    {"l2_normalize", "tfir.rsqrt",
     "of the tfir.sum of the tfir.square, then tfir.mul"},
    {"l2_regularizer", "tfir.l2_loss", "times its weight, added to the loss"},
    {"lstm_cell", "", "write it with tfir.matmul, tfir.sigmoid and tfir.tanh"},
    {"map_fn", "",
     "there is no control flow; write the steps one after the other"},
    {"mat_mul", "tfir.matmul", ""},
    {"max_pooling2d", "tfir.max_pool", ""},
    {"mean_squared_error", "tfir.squared_difference", "then tfir.mean"},
    {"merge", "",
     "there is no control flow; write the steps one after the other"},
    {"merge_all_summaries", "",
     "all of a graph are written together, by graphc-run --summary-dir"},
    {"merge_summary", "",
     "all of a graph are written together, by graphc-run --summary-dir"},
    {"mirror_pad", "",
     "tfir.concat with zeros makes borders; convolutions and pools pad with "
     "padding = \"SAME\""},
    {"moments", "tfir.mean",
     "of the tensor, and of its tfir.squared_difference to that mean"},
    {"momentum", "tfir.minimize",
     "%loss using #tfir.momentum<learning_rate = 0.1>"},
    {"momentum_optimizer", "tfir.minimize",
     "%loss using #tfir.momentum<learning_rate = 0.1>"},
    {"multiply", "tfir.mul", ""},
    {"negative", "tfir.neg", ""},
    {"no_op", "tfir.identity", "the order of the text is the order of effects"},
    {"norm", "tfir.sqrt", "of the tfir.sum of the tfir.square"},
    {"one_shot_iterator", "tfir.next", "of a tfir.dataset"},
    {"ones", "tfir.const", "such as dense<0.0> : tensor<2x3xf32>"},
    {"ones_like", "tfir.const", "such as dense<0.0> : tensor<2x3xf32>"},
    {"pack", "tfir.concat",
     "of operands that tfir.reshape gave a dimension of size 1"},
    {"pad", "",
     "tfir.concat with zeros makes borders; convolutions and pools pad with "
     "padding = \"SAME\""},
    {"parse_example", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"placeholder", "tfir.graph",
     "a placeholder is an argument of the graph: @g(%x: tensor<?x784xf32>); "
     "'?' is bound by --batch or --bind"},
    {"placeholder_with_default", "tfir.graph",
     "a placeholder is an argument of the graph, without a default"},
    {"print", "tfir.identity",
     "values are printed by graphc-run --fetch and --print-every"},
    {"queue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"queue_dequeue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"queue_enqueue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"random_shuffle_queue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"random_standard_normal", "tfir.random_normal", ""},
    {"range", "tfir.const", "a dense constant"},
    {"rank", "tfir.const", "shapes are static when the text is compiled"},
    {"read_file", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"read_variable_op", "tfir.read", ""},
    {"real_div", "tfir.div", ""},
    {"reduce_all", "tfir.min", "of a tfir.cast to numbers"},
    {"reduce_any", "tfir.max", "of a tfir.cast to numbers"},
    {"reduce_logsumexp", "tfir.log",
     "of the tfir.sum of tfir.exp, less the maximum; tfir.log_softmax does it "
     "for rows"},
    {"reduce_max", "tfir.max",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_mean", "tfir.mean",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_min", "tfir.min",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_prod", "tfir.exp",
     "of the tfir.sum of tfir.log, for positive numbers"},
    {"reduce_sum", "tfir.sum",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"relu_layer", "tfir.matmul", "then tfir.bias_add and tfir.relu"},
    {"restore", "",
     "graphc-run --save and --load write and read the variables"},
    {"restore_v2", "",
     "graphc-run --save and --load write and read the variables"},
    {"rms_prop_optimizer", "tfir.minimize",
     "%loss using #tfir.rmsprop<learning_rate = 0.1>"},
    {"save", "", "graphc-run --save and --load write and read the variables"},
    {"save_v2", "",
     "graphc-run --save and --load write and read the variables"},
    {"saver", "", "graphc-run --save and --load write and read the variables"},
    {"scalar", "tfir.summary.scalar", ""},
    {"scalar_summary", "tfir.summary.scalar", ""},
    {"scan", "",
     "there is no control flow; write the steps one after the other"},
    {"scatter_add", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"scatter_sub", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"scatter_update", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"shape", "tfir.const", "shapes are static when the text is compiled"},
    {"shuffle_batch", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"sigmoid_cross_entropy_with_logits", "tfir.softplus",
     "it is softplus(x) - x * labels"},
    {"size", "tfir.const", "shapes are static when the text is compiled"},
    {"softmax_cross_entropy", "tfir.softmax_cross_entropy_with_logits",
     "then tfir.mean"},
    {"softmax_cross_entropy_with_logits_v2",
     "tfir.softmax_cross_entropy_with_logits",
     "put tfir.stop_gradient around the labels where they depend on variables"},
    {"sparse_softmax_cross_entropy",
     "tfir.sparse_softmax_cross_entropy_with_logits", "then tfir.mean"},
    {"split", "tfir.slice", "one for each result"},
    {"split_v", "tfir.slice", "one for each result"},
    {"squeeze", "tfir.reshape", ""},
    {"stack", "tfir.concat",
     "of operands that tfir.reshape gave a dimension of size 1"},
    {"static_rnn", "",
     "there is no control flow; write the steps one after the other"},
    {"strided_slice", "tfir.slice", "one for each result"},
    {"string_input_producer", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"subtract", "tfir.sub", ""},
    {"switch", "",
     "there is no control flow; write the steps one after the other"},
    {"text_line_reader", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"tf_record_reader", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"tile", "tfir.concat",
     "of the tensor with itself; tfir.broadcast_to repeats what has size 1"},
    {"to_double", "tfir.cast", ""},
    {"to_float", "tfir.cast", ""},
    {"to_int32", "tfir.cast", ""},
    {"to_int64", "tfir.cast", ""},
    {"truediv", "tfir.div", "cast integers to floats before it"},
    {"truncated_random_normal", "tfir.truncated_normal", ""},
    {"unpack", "tfir.slice", "one for each result"},
    {"unstack", "tfir.slice", "one for each result"},
    {"var_handle_op", "tfir.variable",
     "at the top of the file: tfir.variable @w : tensor<2xf32> = "
     "#tfir.fill<0>"},
    {"variable_v2", "tfir.variable",
     "at the top of the file: tfir.variable @w : tensor<2xf32> = "
     "#tfir.fill<0>"},
    {"where", "tfir.select", "with all of its three operands"},
    {"while", "",
     "there is no control flow; write the steps one after the other"},
    {"while_loop", "",
     "there is no control flow; write the steps one after the other"},
    {"xw_plus_b", "tfir.matmul", "then tfir.bias_add"},
    {"zeros", "tfir.const", "such as dense<0.0> : tensor<2x3xf32>"},
    {"zeros_like", "tfir.const", "such as dense<0.0> : tensor<2x3xf32>"},
};

/// TensorFlow names without op or workaround here; a space after each.
static constexpr llvm::StringLiteral kMissing =
    "adadelta_optimizer angle apply_ftrl as_string "
    "assert atrous_conv2d avg_pool3d batch_to_space "
    "batch_to_space_nd betainc bincount bitcast "
    "bucketize cholesky complex confusion_matrix conj conv3d "
    "count_nonzero crf_log_likelihood ctc_greedy_decoder ctc_loss cumprod "
    "cumsum decode_jpeg decode_png depth_to_space depthwise_conv2d "
    "depthwise_conv2d_native dequantize digamma dilation2d edit_distance "
    "extract_image_patches fft floor_mod "
    "fractional_max_pool ftrl_optimizer hessians histogram_fixed_width ifft "
    "igamma imag image_summary invert_permutation "
    "l1_regularizer lgamma linspace list_diff local_response_normalization "
    "lrn matrix_band_part matrix_determinant matrix_diag matrix_inverse "
    "matrix_solve max_pool3d max_pool_with_argmax meshgrid multinomial "
    "nce_loss nth_element polygamma proximal_gradient_descent_optimizer "
    "py_func qr quantize_v2 random_crop random_gamma random_poisson "
    "random_shuffle real resize_bilinear resize_images "
    "resize_nearest_neighbor reverse reverse_sequence reverse_v2 rfft "
    "roll sampled_softmax_loss self_adjoint_eig separable_conv2d "
    "sequence_mask setdiff1d shape_n space_to_batch space_to_batch_nd "
    "space_to_depth sparse_add sparse_tensor_dense_matmul sparse_to_dense "
    "string_join string_split string_to_number svd tensordot trace "
    "unique zeta ";

llvm::ArrayRef<TfName> tfNames() { return kTfNames; }

std::optional<TfName> findTfName(llvm::StringRef name) {
  for (const TfName &row : kTfNames)
    if (row.name == name)
      return row;
  llvm::SmallVector<llvm::StringRef> missing;
  kMissing.split(missing, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (llvm::is_contained(missing, name))
    return TfName{"", "", ""};
  return std::nullopt;
}

std::string tfBaseName(llvm::StringRef written) {
  llvm::StringRef last = written.substr(written.rfind('.') + 1);
  // BiasAdd -> bias_add, Conv2D -> conv2d.
  std::string name;
  for (size_t i = 0; i < last.size(); ++i) {
    if (llvm::isUpper(last[i]) && i > 0 && llvm::isLower(last[i - 1]))
      name += '_';
    name += llvm::toLower(last[i]);
  }
  return name;
}

} // namespace graphc
