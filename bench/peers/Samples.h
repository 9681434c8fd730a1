// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timing and printing shared by the all-reduce programs.
#ifndef GRAPHC_BENCH_PEERS_SAMPLES_H
#define GRAPHC_BENCH_PEERS_SAMPLES_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace graphc::bench {

constexpr int kWarmUp = 10;

/// Calls `reduce` `steps` times after a warm-up, and gives the microseconds
/// that each took.
template <typename Function>
std::vector<double> timeSteps(int steps, const Function &reduce) {
  std::vector<double> micros;
  for (int i = -kWarmUp; i < steps; ++i) {
    auto begin = std::chrono::steady_clock::now();
    reduce();
    std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - begin;
    if (i >= 0)
      micros.push_back(took.count());
  }
  return micros;
}

inline double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline void printSamples(const std::vector<double> &micros) {
  std::printf("{\"median_us\": %.1f, \"min_us\": %.1f}\n", medianOf(micros),
              *std::min_element(micros.begin(), micros.end()));
}

} // namespace graphc::bench

#endif
