// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/TfNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace graphc {

static constexpr TfName kTfNames[] = {
    {"adadelta_optimizer", "tfir.minimize",
     "%loss using #tfir.adadelta<learning_rate = 0.1>"},
    {"adagrad", "tfir.minimize",
     "%loss using #tfir.adagrad<learning_rate = 0.1>"},
    {"adagrad_optimizer", "tfir.minimize",
     "%loss using #tfir.adagrad<learning_rate = 0.1>"},
    {"adam", "tfir.minimize", "%loss using #tfir.adam<learning_rate = 0.1>"},
    {"adam_optimizer", "tfir.minimize",
     "%loss using #tfir.adam<learning_rate = 0.1>"},
    {"adamax_optimizer", "tfir.minimize",
     "%loss using #tfir.adamax<learning_rate = 0.1>"},
    {"adamw_optimizer", "tfir.minimize",
     "%loss using #tfir.adamw<learning_rate = 0.1>"},
    {"apply_adadelta", "tfir.minimize",
     "%loss using #tfir.adadelta<learning_rate = 0.1>"},
    {"apply_ftrl", "tfir.minimize",
     "%loss using #tfir.ftrl<learning_rate = 0.1>"},
    {"apply_gradient_descent", "tfir.minimize",
     "%loss using #tfir.sgd<learning_rate = 0.1>"},
    {"argmax", "tfir.arg_max", ""},
    {"argmin", "tfir.arg_min", ""},
    {"assign_add_variable_op", "tfir.assign_add", ""},
    {"assign_sub_variable_op", "tfir.assign_sub", ""},
    {"assign_variable_op", "tfir.assign", ""},
    {"average_pooling2d", "tfir.avg_pool", ""},
    {"basic_lstm_cell", "",
     "write it with tfir.matmul, tfir.sigmoid and tfir.tanh"},
    {"batch_mat_mul", "tfir.matmul", ""},
    {"batch_mat_mul_v2", "tfir.matmul", ""},
    {"batch_matmul", "tfir.matmul", ""},
    {"batch_norm", "tfir.fused_batch_norm",
     "for training, tfir.batch_normalization for inference"},
    {"batch_to_space_nd", "tfir.batch_to_space", ""},
    {"bidirectional_dynamic_rnn", "",
     "there is no control flow; write the steps one after the other"},
    {"boolean_mask", "",
     "tfir.matmul with tfir.one_hot of the indices, transposed, adds rows up"},
    {"broadcast", "tfir.broadcast_to", ""},
    {"case", "",
     "there is no control flow; write the steps one after the other"},
    {"check_numerics", "tfir.identity",
     "graphc-run --check-numerics looks at every value"},
    {"concat_v2", "tfir.concat", ""},
    {"cond", "tfir.select",
     "both sides are computed; there is no control flow"},
    {"constant", "tfir.const", ""},
    {"control_dependencies", "tfir.identity",
     "the order of the text is the order of effects"},
    {"cosine_decay", "tfir.minimize",
     "learning_rate = #tfir.cosine_decay<...> in the optimizer"},
    {"cosine_decay_restarts", "tfir.minimize",
     "learning_rate = #tfir.cosine_decay_restarts<...> in the optimizer"},
    {"data_dataset", "tfir.dataset", ""},
    {"dense", "tfir.matmul",
     "then tfir.bias_add and an activation; the variables are declared with "
     "tfir.variable"},
    {"depthwise_conv2d_native", "tfir.depthwise_conv2d", ""},
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
    {"exponential_decay", "tfir.minimize",
     "learning_rate = #tfir.exponential_decay<...> in the optimizer"},
    {"exponential_moving_average", "tfir.ema", ""},
    {"extract_image_patches", "tfir.extract_patches", ""},
    {"fifo_queue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"flatten", "tfir.reshape", ""},
    {"floor_div", "tfir.floor", "of tfir.div, for floats"},
    {"foldl", "",
     "there is no control flow; write the steps one after the other"},
    {"foldr", "",
     "there is no control flow; write the steps one after the other"},
    {"ftrl_optimizer", "tfir.minimize",
     "%loss using #tfir.ftrl<learning_rate = 0.1>"},
    {"fully_connected", "tfir.matmul",
     "then tfir.bias_add and an activation; the variables are declared with "
     "tfir.variable"},
    {"fused_batch_norm_v2", "tfir.fused_batch_norm", ""},
    {"fused_batch_norm_v3", "tfir.fused_batch_norm", ""},
    {"gather_v2", "tfir.gather", ""},
    {"get_next", "tfir.next", ""},
    {"get_variable", "tfir.variable",
     "at the top of the file: tfir.variable @w : tensor<2xf32> = "
     "#tfir.fill<0>"},
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
    {"inv", "tfir.reciprocal", ""},
    {"inverse_time_decay", "tfir.minimize",
     "learning_rate = #tfir.inverse_time_decay<...> in the optimizer"},
    {"iterator_get_next", "tfir.next", ""},
    {"l2_regularizer", "tfir.l2_loss", "times its weight, added to the loss"},
    {"lars_optimizer", "tfir.minimize",
     "%loss using #tfir.lars<learning_rate = 0.1>"},
    {"layer_normalization", "tfir.layer_norm", ""},
    {"local_response_normalization", "tfir.lrn", ""},
    {"lstm_cell", "", "write it with tfir.matmul, tfir.sigmoid and tfir.tanh"},
    {"map_fn", "",
     "there is no control flow; write the steps one after the other"},
    {"mat_mul", "tfir.matmul", ""},
    {"max_pooling2d", "tfir.max_pool", ""},
    {"merge", "",
     "there is no control flow; write the steps one after the other"},
    {"merge_all_summaries", "",
     "all of a graph are written together, by graphc-run --summary-dir"},
    {"merge_summary", "",
     "all of a graph are written together, by graphc-run --summary-dir"},
    {"mirror_pad", "tfir.pad", "with mode = \"REFLECT\" or \"SYMMETRIC\""},
    {"momentum", "tfir.minimize",
     "%loss using #tfir.momentum<learning_rate = 0.1>"},
    {"momentum_optimizer", "tfir.minimize",
     "%loss using #tfir.momentum<learning_rate = 0.1>"},
    {"multiply", "tfir.mul", ""},
    {"nadam_optimizer", "tfir.minimize",
     "%loss using #tfir.nadam<learning_rate = 0.1>"},
    {"natural_exp_decay", "tfir.minimize",
     "learning_rate = #tfir.natural_exp_decay<...> in the optimizer"},
    {"negative", "tfir.neg", ""},
    {"no_op", "tfir.identity", "the order of the text is the order of effects"},
    {"one_shot_iterator", "tfir.next", "of a tfir.dataset"},
    {"ones", "tfir.const", "such as dense<0.0> : tensor<2x3xf32>"},
    {"pack", "tfir.stack", ""},
    {"pad_v2", "tfir.pad", "with constant_values"},
    {"parse_example", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"piecewise_constant", "tfir.minimize",
     "learning_rate = #tfir.piecewise_constant<...> in the optimizer"},
    {"placeholder", "tfir.graph",
     "a placeholder is an argument of the graph: @g(%x: tensor<?x784xf32>); "
     "'?' is bound by --batch or --bind"},
    {"placeholder_with_default", "tfir.graph",
     "a placeholder is an argument of the graph, without a default"},
    {"polynomial_decay", "tfir.minimize",
     "learning_rate = #tfir.polynomial_decay<...> in the optimizer"},
    {"print", "tfir.identity",
     "values are printed by graphc-run --fetch and --print-every"},
    {"proximal_adagrad_optimizer", "tfir.minimize",
     "%loss using #tfir.proximal_adagrad<learning_rate = 0.1>"},
    {"proximal_gradient_descent_optimizer", "tfir.minimize",
     "%loss using #tfir.proximal_gradient_descent<learning_rate = 0.1>"},
    {"queue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"queue_dequeue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"queue_enqueue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"random_shuffle_queue", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"random_standard_normal", "tfir.random_normal", ""},
    {"read_file", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"read_variable_op", "tfir.read", ""},
    {"real_div", "tfir.div", ""},
    {"reduce_all", "tfir.all", ""},
    {"reduce_any", "tfir.any", ""},
    {"reduce_logsumexp", "tfir.logsumexp", ""},
    {"reduce_max", "tfir.max",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_mean", "tfir.mean",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_min", "tfir.min",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_prod", "tfir.prod", ""},
    {"reduce_std", "tfir.std", ""},
    {"reduce_sum", "tfir.sum",
     "the axes are {axes = array<i64: 0>}; without them it is over all"},
    {"reduce_variance", "tfir.variance", ""},
    {"relu_layer", "tfir.matmul", "then tfir.bias_add and tfir.relu"},
    {"resize_images", "tfir.resize_bilinear", ""},
    {"resize_nearest_neighbor", "tfir.resize_nearest", ""},
    {"restore", "",
     "graphc-run --save and --load write and read the variables"},
    {"restore_v2", "",
     "graphc-run --save and --load write and read the variables"},
    {"reverse_v2", "tfir.reverse", ""},
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
    {"shape_n", "tfir.shape", "one for each tensor"},
    {"shuffle_batch", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"sigmoid_cross_entropy", "tfir.sigmoid_cross_entropy_with_logits",
     "then tfir.compute_weighted_loss"},
    {"softmax_cross_entropy", "tfir.softmax_cross_entropy_with_logits",
     "then tfir.mean"},
    {"softmax_cross_entropy_with_logits_v2",
     "tfir.softmax_cross_entropy_with_logits",
     "put tfir.stop_gradient around the labels where they depend on variables"},
    {"space_to_batch_nd", "tfir.space_to_batch", ""},
    {"sparse_softmax_cross_entropy",
     "tfir.sparse_softmax_cross_entropy_with_logits", "then tfir.mean"},
    {"split_v", "tfir.split", "with size_splits"},
    {"static_rnn", "",
     "there is no control flow; write the steps one after the other"},
    {"string_input_producer", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"subtract", "tfir.sub", ""},
    {"switch", "",
     "there is no control flow; write the steps one after the other"},
    {"text_line_reader", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"tf_record_reader", "",
     "tfir.dataset and tfir.next read files that graphc-run --data names"},
    {"to_double", "tfir.cast", ""},
    {"to_float", "tfir.cast", ""},
    {"to_int32", "tfir.cast", ""},
    {"to_int64", "tfir.cast", ""},
    {"truediv", "tfir.div", "cast integers to floats before it"},
    {"truncated_random_normal", "tfir.truncated_normal", ""},
    {"unpack", "tfir.unstack", ""},
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
    {"zeros", "tfir.const", "such as dense<0.0> : tensor<2x3xf32>"}
};

/// TensorFlow names without op or workaround here; a space after each.
static constexpr llvm::StringLiteral kMissing =
    "adagrad_da_optimizer angle as_string assert betainc bitcast "
    "bucketize cholesky complex confusion_matrix conj "
    "crf_log_likelihood ctc_greedy_decoder ctc_loss decode_jpeg "
    "decode_png dequantize digamma dilation2d edit_distance fft "
    "floor_mod fractional_max_pool hessians histogram_fixed_width "
    "ifft igamma imag image_summary l1_regularizer lgamma list_diff "
    "matrix_determinant matrix_inverse matrix_solve "
    "max_pool_with_argmax multinomial nce_loss nth_element polygamma "
    "py_func qr quantize_v2 random_crop random_gamma random_poisson "
    "; random_shuffle real rfft sampled_softmax_loss "
    "self_adjoint_eig sequence_mask setdiff1d sparse_add "
    "sparse_tensor_dense_matmul sparse_to_dense string_join "
    "string_split string_to_number svd tensordot trace unique zeta "

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
