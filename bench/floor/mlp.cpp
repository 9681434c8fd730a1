// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training step of the perceptron 784-500-10, batch 100, as fast as oneDNN
// allows: plain matrices, and the products that make a weight's gradient write
// the updated weight at once (W = (1 - rate * decay) W - rate * X^T G).
#include "bench/floor/Step.h"

using namespace graphc::bench;
using dnnl::memory;

namespace {

constexpr int64_t kBatch = 100, kInputs = 784, kHidden = 500, kClasses = 10;

memory::desc matrix(int64_t rows, int64_t columns) {
  return describe({rows, columns}, memory::format_tag::ab);
}

/// The transposed view of a matrix of `columns` rows.
memory::desc transposed(int64_t rows, int64_t columns) {
  return {{rows, columns}, memory::data_type::f32, Dims{1, rows}};
}

memory view(const memory &data, const memory::desc &description) {
  return {description, data.get_engine(), data.get_data_handle()};
}

/// Adds: result = a b.
void multiply(Step &step, const char *name, const memory &a, const memory &b,
              const memory &result) {
  dnnl::matmul::primitive_desc plan(
      {a.get_desc(), b.get_desc(), result.get_desc()}, step.engine);
  step.add(name, dnnl::matmul(plan),
           {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, result}});
}

/// Adds: result = a b + bias, with the attributes' work after it.
void layer(Step &step, const char *name, const memory &a, const memory &b,
           const memory &bias, const memory &result,
           const dnnl::primitive_attr &attributes) {
  dnnl::matmul::primitive_desc plan(
      {a.get_desc(), b.get_desc(), bias.get_desc(), result.get_desc()},
      attributes, step.engine);
  step.add(name, dnnl::matmul(plan),
           {{DNNL_ARG_SRC, a},
            {DNNL_ARG_WEIGHTS, b},
            {DNNL_ARG_BIAS, bias},
            {DNNL_ARG_DST, result}});
}

/// Adds: weights = (1 - rate * decay) weights - rate * a b.
void applyProduct(Step &step, const char *name, const memory &a,
                  const memory &b, const memory &weights) {
  dnnl::post_ops after;
  after.append_sum(1 - kLearningRate * kWeightDecay);
  dnnl::primitive_attr attributes;
  attributes.set_output_scales(0, {-kLearningRate});
  attributes.set_post_ops(after);
  dnnl::matmul::primitive_desc plan(
      {a.get_desc(), b.get_desc(), weights.get_desc()}, attributes,
      step.engine);
  step.add(name, dnnl::matmul(plan),
           {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, weights}});
}

/// bias -= rate * (sum over the rows of gradient).
void applyColumnSums(const memory &gradient, const memory &bias) {
  const int64_t columns = gradient.get_desc().dims()[1];
  const float *row = dataOf(gradient);
  float sums[kHidden] = {};
  for (int64_t i = 0; i < kBatch; ++i, row += columns)
    for (int64_t j = 0; j < columns; ++j)
      sums[j] += row[j];
  float *values = dataOf(bias);
  for (int64_t j = 0; j < columns; ++j)
    values[j] -= kLearningRate * sums[j];
}

void build(Step &step) {
  memory x = step.allocatePixels(matrix(kBatch, kInputs));
  memory w1 = step.allocate(matrix(kInputs, kHidden));
  memory b1 = step.allocate(matrix(1, kHidden));
  memory w2 = step.allocate(matrix(kHidden, kClasses));
  memory b2 = step.allocate(matrix(1, kClasses));
  memory hidden = step.allocate(matrix(kBatch, kHidden));
  memory logits = step.allocate(matrix(kBatch, kClasses));
  memory hiddenGradient = step.allocate(matrix(kBatch, kHidden));

  layer(step, "fc1", x, w1, b1, hidden, withRelu());
  layer(step, "fc2", hidden, w2, b2, logits, {});
  memory gradient = step.lossGradient(logits);
  multiply(step, "fc2 data'", gradient, view(w2, transposed(kClasses, kHidden)),
           hiddenGradient);
  step.reluGradient("fc1", hidden, hiddenGradient);
  step.add("biases", [=] {
    applyColumnSums(hiddenGradient, b1);
    applyColumnSums(gradient, b2);
  });
  applyProduct(step, "fc2 weights' + sgd",
               view(hidden, transposed(kHidden, kBatch)), gradient, w2);
  applyProduct(step, "fc1 weights' + sgd", view(x, transposed(kInputs, kBatch)),
               hiddenGradient, w1);
  step.average("fc1", w1);
  step.average("fc2", w2);
  step.average("fc1 bias", b1);
  step.average("fc2 bias", b2);
}

} // namespace

int main(int argc, char **argv) {
  return benchmark("mlp", kBatch, argc, argv, build);
}
