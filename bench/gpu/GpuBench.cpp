// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures a GPU for bench/run-gpu, and prints a line of JSON.
//
//   gpu-bench describe
//   gpu-bench copies BYTES
//   gpu-bench products MODEL GRAPH         beside cuBLASLt's own best algorithm
//   gpu-bench kernels MODEL GRAPH          beside copies of as many bytes
//   gpu-bench steps MODEL GRAPH STEPS [NAME=FILES...]
//
// A first argument --quick makes it as fast as it can be, and the numbers bad.
#include "bench/gpu/Measurements.h"

#include <cstdio>
#include <cstdlib>

using namespace graphc::bench;
using namespace graphc::runtime;

namespace {

StatusOr<Facts> measure(const std::vector<std::string> &arguments,
                        const Effort &effort) {
  const std::string what = arguments.empty() ? "" : arguments[0];
  const size_t count = arguments.size();
  ModelOptions options;
  if (count > 2) {
    options.model = arguments[1];
    options.graph = arguments[2];
  }
  if (what == "describe" && count == 1)
    return describe();
  if (what == "copies" && count == 2)
    return measureCopies(std::strtoull(arguments[1].c_str(), nullptr, 10),
                         effort);
  if (what == "products" && count == 3)
    return measureCalls(options, effort, Beside::RawMatmul);
  if (what == "kernels" && count == 3)
    return measureCalls(options, effort, Beside::Copy);
  if (what == "steps" && count > 3) {
    options.steps = std::strtoll(arguments[3].c_str(), nullptr, 10);
    options.data.assign(arguments.begin() + 4, arguments.end());
    return measureSteps(options, effort);
  }
  return invalidArgument(
      "usage: gpu-bench [--quick] describe | copies BYTES | products MODEL "
      "GRAPH | kernels MODEL GRAPH | steps MODEL GRAPH STEPS [NAME=FILES...]");
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Effort effort;
  if (!arguments.empty() && arguments[0] == "--quick") {
    effort = {1, 0, 1, 2};
    arguments.erase(arguments.begin());
  }
  StatusOr<Facts> facts = measure(arguments, effort);
  if (!facts.isOk()) {
    std::fprintf(stderr, "gpu-bench: error: %s\n",
                 facts.status().message().c_str());
    return 1;
  }
  std::printf("%s\n", facts->dump().c_str());
  return 0;
}
