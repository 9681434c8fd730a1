// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measurements of gpu-bench; each result is an object of JSON. Seconds.
#ifndef GRAPHC_BENCH_GPU_MEASUREMENTS_H
#define GRAPHC_BENCH_GPU_MEASUREMENTS_H

#include "bench/gpu/CallClock.h"

#include <nlohmann/json.hpp>

namespace graphc::bench {

/// The driver's n-th GPU.
runtime::StatusOr<std::unique_ptr<runtime::CudaDevice>>
openDevice(size_t number);

using Facts = nlohmann::ordered_json;

/// The GPUs, the driver, and whether they are emulated.
runtime::StatusOr<Facts> describe();

/// Copies of some bytes: to and from pinned memory, on the device, and to
/// another GPU where there is one.
runtime::StatusOr<Facts> measureCopies(size_t bytes, const Effort &effort);

struct ModelOptions {
  std::string model, graph;
  std::vector<std::string> data; ///< NAME=FILES
  int64_t steps = 1000;          ///< of measureSteps
};

/// Each call of a step of a graph without data, beside what it is compared
/// with.
runtime::StatusOr<Facts> measureCalls(const ModelOptions &options,
                                      const Effort &effort, Beside beside);

/// Steps as a program runs them: their time, that of the CPU, and that of all
/// calls of a step alone.
runtime::StatusOr<Facts> measureSteps(const ModelOptions &options,
                                      const Effort &effort);

} // namespace graphc::bench

#endif
