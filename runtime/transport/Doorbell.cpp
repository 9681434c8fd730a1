// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/Doorbell.h"

#include "runtime/base/Clock.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr size_t kPageBytes = 4096;
constexpr int64_t kMaxSleepNanos = 1'000'000'000;
} // namespace

StatusOr<std::shared_ptr<Doorbell>> Doorbell::create() {
  GRAPHC_ASSIGN_OR_RETURN(
      SharedMemory memory,
      SharedMemory::create("graphc-doorbell", kPageBytes, Keep::Fd));
  return std::shared_ptr<Doorbell>(new Doorbell(std::move(memory)));
}

StatusOr<std::shared_ptr<Doorbell>> Doorbell::open(FileDescriptor fd) {
  GRAPHC_ASSIGN_OR_RETURN(SharedMemory memory,
                          SharedMemory::open(std::move(fd), kPageBytes));
  return std::shared_ptr<Doorbell>(new Doorbell(std::move(memory)));
}

std::atomic<uint32_t> &Doorbell::word() const {
  return *reinterpret_cast<std::atomic<uint32_t> *>(memory.data());
}

void Doorbell::ring() {
  word().fetch_add(1);
  // Not FUTEX_PRIVATE_FLAG: the sleeper may be another process.
  syscall(SYS_futex, &word(), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

uint32_t Doorbell::count() const { return word().load(); }

void Doorbell::wait(uint32_t seen, int64_t untilNanos) const {
  int64_t left = std::min(untilNanos - nowNanos(), kMaxSleepNanos);
  if (left <= 0)
    return;
  timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
  syscall(SYS_futex, &word(), FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

} // namespace graphc::runtime
