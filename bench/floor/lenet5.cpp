// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training step of LeNet-5, batch 100, with oneDNN on NHWC images: twice
// (convolution 5x5, relu, max pool), with 32 and 64 channels, then fully
// connected layers of 512 and 10. oneDNN chooses the layout of the weights.
#include "bench/floor/Step.h"

using namespace graphc::bench;
using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using Tag = memory::format_tag;

namespace {

constexpr int64_t kBatch = 100, kClasses = 10;

/// Convolution, relu and pool, with what their gradients need.
struct Block {
  std::string name;
  memory source, weights, bias, output, pooled, argmax;
  dnnl::convolution_forward::primitive_desc forward;
  dnnl::pooling_forward::primitive_desc pool;
};

/// A fully connected layer.
struct Dense {
  std::string name;
  memory source, weights, bias, output;
  dnnl::inner_product_forward::primitive_desc forward;
};

const Dims kStride{1, 1}, kPadding{2, 2}, kWindow{2, 2}, kNone{0, 0};

/// The forward convolution that all three primitives of a block derive from.
dnnl::convolution_forward::desc convolution(const memory::desc &source,
                                            const Dims &weights,
                                            const memory::desc &output) {
  return {prop_kind::forward_training,
          algorithm::convolution_direct,
          source,
          describe(weights, Tag::any),
          describe({weights[0]}, Tag::x),
          output,
          kStride,
          kPadding,
          kPadding};
}

Block addBlock(Step &step, const std::string &name, const memory &source,
               int64_t channels) {
  const Dims in = source.get_desc().dims();
  const Dims weights{channels, in[1], 5, 5};
  const Dims out{in[0], channels, in[2], in[3]};
  const Dims pooled{in[0], channels, in[2] / 2, in[3] / 2};

  Block block;
  block.name = name;
  block.source = source;
  block.forward = {
      convolution(source.get_desc(), weights, describe(out, Tag::nhwc)),
      withRelu(), step.engine};
  block.weights = step.allocate(block.forward.weights_desc());
  block.bias = step.allocate(block.forward.bias_desc());
  block.output = step.allocate(block.forward.dst_desc());
  step.add(name + " forward", dnnl::convolution_forward(block.forward),
           {{DNNL_ARG_SRC, source},
            {DNNL_ARG_WEIGHTS, block.weights},
            {DNNL_ARG_BIAS, block.bias},
            {DNNL_ARG_DST, block.output}});

  block.pool = {{prop_kind::forward_training, algorithm::pooling_max,
                 block.output.get_desc(), describe(pooled, Tag::nhwc), kWindow,
                 kWindow, kNone, kNone},
                step.engine};
  block.pooled = step.allocate(block.pool.dst_desc());
  block.argmax = memory(block.pool.workspace_desc(), step.engine);
  step.add(name + " pool", dnnl::pooling_forward(block.pool),
           {{DNNL_ARG_SRC, block.output},
            {DNNL_ARG_DST, block.pooled},
            {DNNL_ARG_WORKSPACE, block.argmax}});
  return block;
}

/// Adds the gradient of pool and relu; returns that of the convolution's
/// output.
memory addPoolGradient(Step &step, const Block &block, const memory &pooled) {
  const memory::desc output = block.output.get_desc();
  dnnl::pooling_backward::primitive_desc pool({algorithm::pooling_max, output,
                                               block.pooled.get_desc(), kWindow,
                                               kWindow, kNone, kNone},
                                              step.engine, block.pool);
  memory gradient = step.allocate(pool.diff_src_desc());
  step.add(block.name + " pool'", dnnl::pooling_backward(pool),
           {{DNNL_ARG_DIFF_DST,
             step.reorder(block.name, pooled, pool.diff_dst_desc())},
            {DNNL_ARG_WORKSPACE, block.argmax},
            {DNNL_ARG_DIFF_SRC, gradient}});

  const algorithm relu = algorithm::eltwise_relu_use_dst_for_bwd;
  dnnl::eltwise_backward::primitive_desc rectifier(
      {relu, output, output, 0, 0}, step.engine,
      {{prop_kind::forward_training, relu, output, 0, 0}, step.engine});
  step.add(block.name + " relu'", dnnl::eltwise_backward(rectifier),
           {{DNNL_ARG_DST, block.output},
            {DNNL_ARG_DIFF_DST, gradient},
            {DNNL_ARG_DIFF_SRC, gradient}});
  return gradient;
}

/// Adds the data gradient of a block's convolution.
memory addDataGradient(Step &step, const Block &block, const memory &gradient) {
  const memory::desc source = block.source.get_desc();
  const Dims weights = block.weights.get_desc().dims();
  dnnl::convolution_backward_data::primitive_desc plan(
      {algorithm::convolution_direct, source, describe(weights, Tag::any),
       gradient.get_desc(), kStride, kPadding, kPadding},
      step.engine, block.forward);
  memory result = step.allocate(plan.diff_src_desc());
  step.add(
      block.name + " data'", dnnl::convolution_backward_data(plan),
      {{DNNL_ARG_DIFF_DST, gradient},
       {DNNL_ARG_WEIGHTS, step.reorder(block.name + " weights", block.weights,
                                       plan.weights_desc())},
       {DNNL_ARG_DIFF_SRC, result}});
  return result;
}

/// Adds the filter and bias gradients of a block and applies them.
void addUpdate(Step &step, const Block &block, const memory &gradient) {
  const Dims weights = block.weights.get_desc().dims();
  dnnl::convolution_backward_weights::primitive_desc plan(
      {algorithm::convolution_direct, block.source.get_desc(),
       describe(weights, Tag::any), block.bias.get_desc(), gradient.get_desc(),
       kStride, kPadding, kPadding},
      step.engine, block.forward);
  memory filter = step.allocate(plan.diff_weights_desc());
  memory bias = step.allocate(block.bias.get_desc());
  step.add(block.name + " weights'", dnnl::convolution_backward_weights(plan),
           {{DNNL_ARG_SRC, block.source},
            {DNNL_ARG_DIFF_DST, gradient},
            {DNNL_ARG_DIFF_WEIGHTS, filter},
            {DNNL_ARG_DIFF_BIAS, bias}});
  step.update(
      block.name, block.weights,
      step.reorder(block.name + " weights'", filter, block.weights.get_desc()));
  step.update(block.name + " bias", block.bias, bias);
}

Dense addDense(Step &step, const std::string &name, const memory &source,
               int64_t outputs, const dnnl::primitive_attr &attributes) {
  Dims weights = source.get_desc().dims();
  weights[0] = outputs;
  Dense dense;
  dense.name = name;
  dense.source = source;
  dense.forward = {{prop_kind::forward_training, source.get_desc(),
                    describe(weights, Tag::any), describe({outputs}, Tag::x),
                    describe({kBatch, outputs}, Tag::nc)},
                   attributes,
                   step.engine};
  dense.weights = step.allocate(dense.forward.weights_desc());
  dense.bias = step.allocate(dense.forward.bias_desc());
  dense.output = step.allocate(dense.forward.dst_desc());
  step.add(name + " forward", dnnl::inner_product_forward(dense.forward),
           {{DNNL_ARG_SRC, source},
            {DNNL_ARG_WEIGHTS, dense.weights},
            {DNNL_ARG_BIAS, dense.bias},
            {DNNL_ARG_DST, dense.output}});
  return dense;
}

/// Adds all gradients of a layer; returns that of its source. The data gradient
/// comes before the update, as it reads the weights.
memory addGradients(Step &step, const Dense &dense, const memory &gradient) {
  const memory::desc source = dense.source.get_desc();
  const memory::desc weights =
      describe(dense.weights.get_desc().dims(), Tag::any);

  dnnl::inner_product_backward_data::primitive_desc data(
      {source, weights, gradient.get_desc()}, step.engine, dense.forward);
  memory result = step.allocate(data.diff_src_desc());
  step.add(
      dense.name + " data'", dnnl::inner_product_backward_data(data),
      {{DNNL_ARG_DIFF_DST, gradient},
       {DNNL_ARG_WEIGHTS, step.reorder(dense.name + " weights", dense.weights,
                                       data.weights_desc())},
       {DNNL_ARG_DIFF_SRC, result}});

  dnnl::inner_product_backward_weights::primitive_desc plan(
      {source, weights, dense.bias.get_desc(), gradient.get_desc()},
      step.engine, dense.forward);
  memory product = step.allocate(plan.diff_weights_desc());
  memory bias = step.allocate(dense.bias.get_desc());
  step.add(dense.name + " weights'", dnnl::inner_product_backward_weights(plan),
           {{DNNL_ARG_SRC, dense.source},
            {DNNL_ARG_DIFF_DST, gradient},
            {DNNL_ARG_DIFF_WEIGHTS, product},
            {DNNL_ARG_DIFF_BIAS, bias}});
  step.update(dense.name, dense.weights,
              step.reorder(dense.name + " weights'", product,
                           dense.weights.get_desc()));
  step.update(dense.name + " bias", dense.bias, bias);
  return result;
}

void build(Step &step) {
  memory image = step.allocatePixels(describe({kBatch, 1, 28, 28}, Tag::nhwc));
  const Block conv1 = addBlock(step, "conv1", image, 32);
  const Block conv2 = addBlock(step, "conv2", conv1.pooled, 64);
  const Dense fc1 = addDense(step, "fc1", conv2.pooled, 512, withRelu());
  const Dense fc2 = addDense(step, "fc2", fc1.output, kClasses, {});

  memory gradient = step.lossGradient(fc2.output);
  gradient = addGradients(step, fc2, gradient);
  step.reluGradient("fc1", fc1.output, gradient);
  gradient = addGradients(step, fc1, gradient);
  gradient = addPoolGradient(step, conv2, gradient);
  memory pooledGradient = addDataGradient(step, conv2, gradient);
  addUpdate(step, conv2, gradient);
  gradient = addPoolGradient(step, conv1, pooledGradient);
  addUpdate(step, conv1, gradient);
}

} // namespace

int main(int argc, char **argv) {
  return benchmark("lenet5", kBatch, argc, argv, build);
}
