// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at what sessions of this process give their GPUs, and times each call.
#ifndef GRAPHC_BENCH_GPU_CALLCLOCK_H
#define GRAPHC_BENCH_GPU_CALLCLOCK_H

#include "bench/gpu/DeviceClock.h"

#include <optional>

namespace graphc::bench {

/// Baseline that calls are compared with.
enum class Beside {
  Nothing,
  RawMatmul, ///< products: the library's own best algorithm
  Copy       ///< a copy on the device that moves as many bytes as the step
};

/// A call that a stream was given.
struct TimedCall {
  std::string name; ///< of the function
  double seconds = 0;
  std::optional<double> besideSeconds;
};

/// It stands between the runtime and the driver's functions: those of the
/// tables of CudaApi, CublasLt and Cudnn. Between start() and stop(), each call
/// that makes work is timed and then done. The session must be profiled, since
/// its stream is idle before each call then; work is repeated, so its results
/// are of no use. Thread-safety: one step at a time.
class CallClock {
public:
  /// Once in a process, before its first session. `stepBytes` are read and
  /// written in a step, for Beside::Copy.
  static runtime::StatusOr<std::unique_ptr<CallClock>>
  install(const runtime::CudaDevice &device, const Effort &effort,
          Beside beside, size_t stepBytes);
  ~CallClock();

  void start();
  /// The calls since start(), or why they could not be timed.
  runtime::StatusOr<std::vector<TimedCall>> stop();

  struct State; ///< for the functions that stand between

private:
  explicit CallClock(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace graphc::bench

#endif
