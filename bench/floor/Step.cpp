// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/floor/Step.h"

#include <algorithm>
#include <cmath>

namespace graphc::bench {

using dnnl::memory;

namespace {

/// Below this many elements a second thread costs more than it saves.
constexpr int64_t kParallelFrom = 20000;

} // namespace

dnnl::primitive_attr withRelu() {
  dnnl::post_ops after;
  after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  return attributes;
}

memory::desc describe(const Dims &dims, memory::format_tag tag) {
  return {dims, memory::data_type::f32, tag};
}

float *dataOf(const memory &memory) {
  return static_cast<float *>(memory.get_data_handle());
}

size_t countOf(const memory &memory) {
  return memory.get_desc().get_size() / sizeof(float);
}

memory Step::allocate(const memory::desc &description) {
  memory result = allocatePixels(description);
  float *values = dataOf(result);
  for (size_t i = 0, end = countOf(result); i < end; ++i)
    values[i] = (values[i] - 0.5f) / 10;
  return result;
}

memory Step::allocatePixels(const memory::desc &description) {
  memory result(description, engine);
  float *values = dataOf(result);
  for (size_t i = 0, end = countOf(result); i < end; ++i)
    values[i] = float((i * 2654435761u >> 16) % 1000) / 1000;
  return result;
}

void Step::add(std::string name, const dnnl::primitive &primitive,
               Arguments arguments) {
  parts.push_back(
      {std::move(name),
       [this, primitive, arguments] { primitive.execute(stream, arguments); }});
}

void Step::add(std::string name, std::function<void()> part) {
  parts.push_back({std::move(name), std::move(part)});
}

memory Step::reorder(const std::string &name, const memory &from,
                     const memory::desc &to) {
  if (from.get_desc() == to)
    return from;
  memory result = allocate(to);
  add(name + " reorder", dnnl::reorder(from, result),
      {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}});
  return result;
}

memory Step::lossGradient(const memory &logits) {
  memory gradient = allocate(logits.get_desc());
  const int64_t batch = logits.get_desc().dims()[0];
  const int64_t classes = logits.get_desc().dims()[1];
  add("softmax cross entropy", [=, this] {
    double total = 0;
    for (int64_t row = 0; row < batch; ++row) {
      const float *x = dataOf(logits) + row * classes;
      float *g = dataOf(gradient) + row * classes;
      const float largest = *std::max_element(x, x + classes);
      float sum = 0;
      for (int64_t j = 0; j < classes; ++j)
        sum += g[j] = std::exp(x[j] - largest);
      for (int64_t j = 0; j < classes; ++j)
        g[j] /= sum * float(batch);
      const int64_t label = row % 10;
      g[label] -= 1.f / float(batch);
      total -= x[label] - largest - std::log(sum);
    }
    loss = float(total / double(batch));
  });
  return gradient;
}

void Step::reluGradient(const std::string &name, const memory &output,
                        const memory &gradient) {
  add(
      name + " relu'",
      [=] {
        const float *y = dataOf(output);
        float *g = dataOf(gradient);
        for (size_t i = 0, end = countOf(gradient); i < end; ++i)
          g[i] = y[i] > 0 ? g[i] : 0;
      });
}

void Step::update(const std::string &name, const memory &variable,
                  const memory &gradient) {
  memory shadow = allocate(variable.get_desc());
  add(name + " sgd+ema", [=] {
    float *w = dataOf(variable), *e = dataOf(shadow);
    const float *g = dataOf(gradient);
    const int64_t count = int64_t(countOf(variable));
#pragma omp parallel for simd schedule(static) if (count >= kParallelFrom)
    for (int64_t i = 0; i < count; ++i) {
      w[i] -= kLearningRate * (g[i] + kWeightDecay * w[i]);
      e[i] = kEmaDecay * e[i] + (1 - kEmaDecay) * w[i];
    }
  });
}

void Step::average(const std::string &name, const memory &variable) {
  memory shadow = allocate(variable.get_desc());
  add(name + " ema", [=] {
    const float *w = dataOf(variable);
    float *e = dataOf(shadow);
    const int64_t count = int64_t(countOf(variable));
#pragma omp parallel for simd schedule(static) if (count >= kParallelFrom)
    for (int64_t i = 0; i < count; ++i)
      e[i] = kEmaDecay * e[i] + (1 - kEmaDecay) * w[i];
  });
}

void Step::run() {
  for (const Part &part : parts)
    part.run();
}

} // namespace graphc::bench
