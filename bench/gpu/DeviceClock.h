// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time that a GPU takes for work, by its own clock.
#ifndef GRAPHC_BENCH_GPU_DEVICECLOCK_H
#define GRAPHC_BENCH_GPU_DEVICECLOCK_H

#include "runtime/target/cuda/driver/CudaStream.h"
#include "runtime/target/cuda/driver/SharedLibrary.h"

namespace graphc::bench {

/// Submits work to a stream.
using Work = std::function<runtime::Status(runtime::cuda::Stream)>;

/// Effort of a measurement: `samples` times `seconds`, of at most `mostRepeats`
/// of the work.
struct Effort {
  int samples = 11;
  double seconds = 1e-2;
  int mostRepeats = 1000;
  int warmUpSteps = 20;
};

/// Work that is repeated within one CUDA graph, between two events: launches by
/// the host cost nothing, and what is left beside the work itself is the pause
/// between two nodes of a graph, below a microsecond.
/// Thread-safety: one call at a time.
class DeviceClock {
public:
  /// `device` must outlive the clock.
  static runtime::StatusOr<std::unique_ptr<DeviceClock>>
  create(const runtime::CudaDevice &device, const Effort &effort);
  ~DeviceClock();
  DeviceClock(const DeviceClock &) = delete;
  DeviceClock &operator=(const DeviceClock &) = delete;

  /// The median seconds of each work, all of them in turn, so that what slows
  /// the GPU slows all. `queue` must be idle.
  runtime::StatusOr<std::vector<double>>
  measure(runtime::cuda::Stream queue, const std::vector<Work> &works);

private:
  struct Repeated;

  DeviceClock(const runtime::CudaDevice &device, const Effort &effort)
      : device(device), effort(effort) {}
  runtime::StatusOr<double> time(runtime::cuda::Stream queue,
                                 runtime::cuda::GraphExec graph);
  runtime::StatusOr<Repeated> repeat(runtime::cuda::Stream queue,
                                     const Work &work, int repeats);

  const runtime::CudaDevice &device;
  Effort effort;
  runtime::cuda::Event begin = nullptr, end = nullptr;
  runtime::cuda::Result (*elapsedTime)(float *, runtime::cuda::Event,
                                       runtime::cuda::Event) = nullptr;
};

/// The driver that the process has loaded, for functions that the runtime does
/// not use.
runtime::StatusOr<runtime::SharedLibrary> openDriver();

} // namespace graphc::bench

#endif
