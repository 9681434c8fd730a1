// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU as a device: memory, scratch of its threads, and kernel launches.
#ifndef GRAPHC_RUNTIME_TARGET_CPU_CPUDEVICE_H
#define GRAPHC_RUNTIME_TARGET_CPU_CPUDEVICE_H

#include "runtime/target/cpu/DeviceBuffer.h"
#include "runtime/target/cpu/KernelImage.h"
#include "runtime/target/cpu/ThreadPool.h"

namespace graphc::runtime {

/// True when a kernel is worth more than one thread. Handing work to a thread
/// that spins costs about a microsecond, to one that sleeps fifty.
bool isWorthThreads(int64_t tiles, double flops, double bytes);

/// A kernel on its way: what a TileJob needs to run a part of it.
struct KernelLaunch {
  KernelFunction function;
  void *const *buffers;
  std::byte *scratch; ///< of thread 0
  size_t scratchStride;

  /// A TileJob::Task; `context` is a KernelLaunch.
  static void run(void *context, int thread, int64_t begin, int64_t end);
};

/// Runs kernels for one session.
/// Thread-safety: one call at a time but for prepare(); devices share the pool.
class CpuDevice {
public:
  explicit CpuDevice(std::shared_ptr<ThreadPool> pool);

  int threads() const { return pool->threads(); }

  /// Makes sure that every thread has `bytes` of scratch.
  Status reserveScratch(size_t bytes);

  /// Runs the tiles [0, tiles) on all threads. Allocates nothing.
  void launch(KernelFunction function, void *const *buffers, int64_t tiles);

  /// The same on the calling thread.
  void launchInline(KernelFunction function, void *const *buffers,
                    int64_t tiles);

  /// The launch of a kernel by threads that the caller has: those of its pool,
  /// each with its number there.
  KernelLaunch prepare(KernelFunction function, void *const *buffers) const {
    return {function, buffers, scratch.data(), scratchStride};
  }

  ThreadPool &threadPool() const { return *pool; }

private:
  std::shared_ptr<ThreadPool> pool;
  DeviceBuffer scratch;     ///< one block of `scratchStride` bytes per thread
  size_t scratchStride = 0; ///< in bytes
};

} // namespace graphc::runtime

#endif
