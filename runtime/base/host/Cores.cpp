// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/host/Cores.h"

#include <algorithm>
#include <memory>
#include <sched.h>
#include <thread>

namespace graphc::runtime {

namespace {
/// The kernel refuses a mask with fewer bits than it has cores.
constexpr int kMaxCores = 1 << 16;
} // namespace

unsigned usableCores() {
  for (int bits = 1024; bits <= kMaxCores; bits *= 2) {
    std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> mask(
        CPU_ALLOC(bits), [](cpu_set_t *set) { CPU_FREE(set); });
    size_t size = CPU_ALLOC_SIZE(bits);
    if (mask && sched_getaffinity(0, size, mask.get()) == 0)
      return static_cast<unsigned>(std::max(1, CPU_COUNT_S(size, mask.get())));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace graphc::runtime
