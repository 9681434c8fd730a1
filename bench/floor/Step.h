// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training step written by hand: a fixed list of oneDNN calls and loops over
// memory that never moves. Both floor programs are made of these pieces.
#ifndef GRAPHC_BENCH_FLOOR_STEP_H
#define GRAPHC_BENCH_FLOOR_STEP_H

#include <dnnl.hpp>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#if DNNL_VERSION_MAJOR != 2
#error "the floor programs are written for oneDNN 2, as in Debian 12"
#endif

namespace graphc::bench {

using Dims = dnnl::memory::dims;
using Arguments = std::unordered_map<int, dnnl::memory>;

constexpr float kLearningRate = 0.01f;
constexpr float kWeightDecay = 1e-4f; ///< L2: gradient += kWeightDecay * weight
constexpr float kEmaDecay = 0.99f;

/// The rectifier as something to run at the end of a oneDNN call.
dnnl::primitive_attr withRelu();

dnnl::memory::desc describe(const Dims &dims, dnnl::memory::format_tag tag);
float *dataOf(const dnnl::memory &memory);
size_t countOf(const dnnl::memory &memory);

class Step {
public:
  Step() : engine(dnnl::engine::kind::cpu, 0), stream(engine) {}

  /// Memory full of small numbers around zero, the same in each run.
  dnnl::memory allocate(const dnnl::memory::desc &description);

  /// The same with numbers from 0 to 1.
  dnnl::memory allocatePixels(const dnnl::memory::desc &description);

  void add(std::string name, const dnnl::primitive &primitive, Arguments);
  void add(std::string name, std::function<void()> part);

  /// `from` in the layout `to`; adds a reorder only if it has another one.
  dnnl::memory reorder(const std::string &name, const dnnl::memory &from,
                       const dnnl::memory::desc &to);

  /// Adds: the loss of `logits` (softmax cross entropy with the labels i % 10)
  /// and its gradient.
  dnnl::memory lossGradient(const dnnl::memory &logits);

  /// Adds: gradient *= output > 0.
  void reluGradient(const std::string &name, const dnnl::memory &output,
                    const dnnl::memory &gradient);

  /// Adds: one pass over a variable that applies the gradient (SGD with L2) and
  /// moves its exponential average.
  void update(const std::string &name, const dnnl::memory &variable,
              const dnnl::memory &gradient);

  /// Adds: moves the exponential average of a variable.
  void average(const std::string &name, const dnnl::memory &variable);

  void run();

  struct Part {
    std::string name;
    std::function<void()> run;
  };

  dnnl::engine engine;
  dnnl::stream stream;
  std::vector<Part> parts;
  float loss = 0;
};

/// Runs the step as the command line says and prints one line of JSON.
/// `build` is called after the number of threads is set.
int benchmark(const char *name, int64_t batch, int argc, char **argv,
              const std::function<void(Step &)> &build);

} // namespace graphc::bench

#endif
