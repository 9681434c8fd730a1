// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/CpuDevice.h"

namespace graphc::runtime {

namespace {
// Blocks of two threads never share a page, so no cache line either.
constexpr size_t kScratchUnit = 4096;
// Rates of one thread, low ends: what is over in four microseconds is not
// split.
constexpr double kFlopsPerNano = 50;
constexpr double kBytesPerNano = 15;
constexpr double kWorthNanos = 4000;
} // namespace

void KernelLaunch::run(void *context, int thread, int64_t begin, int64_t end) {
  const auto &launch = *static_cast<KernelLaunch *>(context);
  callKernel(launch.function, launch.buffers,
             launch.scratch + launch.scratchStride * thread, begin, end);
}

bool isWorthThreads(int64_t tiles, double flops, double bytes) {
  if (tiles <= 1)
    return false;
  bool isUnknown = flops <= 0 && bytes <= 0;
  return isUnknown ||
         flops / kFlopsPerNano + bytes / kBytesPerNano >= kWorthNanos;
}

CpuDevice::CpuDevice(std::shared_ptr<ThreadPool> pool)
    : pool(std::move(pool)) {}

Status CpuDevice::reserveScratch(size_t bytes) {
  size_t stride = (bytes + kScratchUnit - 1) / kScratchUnit * kScratchUnit;
  if (stride <= scratchStride)
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(
      scratch, DeviceBuffer::allocate(
                   stride * threads(),
                   "the scratch of " + std::to_string(threads()) + " threads"));
  scratchStride = stride;
  return Status::ok();
}

void CpuDevice::launch(KernelFunction function, void *const *buffers,
                       int64_t tiles) {
  KernelLaunch context = prepare(function, buffers);
  pool->parallelFor(tiles, KernelLaunch::run, &context);
}

void CpuDevice::launchInline(KernelFunction function, void *const *buffers,
                             int64_t tiles) {
  callKernel(function, buffers, scratch.data(), 0, tiles);
}

} // namespace graphc::runtime
