// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A word in shared memory on which a thread sleeps until another one, of this
// or of another process, rings.
#ifndef GRAPHC_RUNTIME_TRANSPORT_DOORBELL_H
#define GRAPHC_RUNTIME_TRANSPORT_DOORBELL_H

#include "runtime/transport/SharedMemory.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace graphc::runtime {

/// Thread-safety: any thread. A peer may ring at will; more harm it cannot do.
class Doorbell {
public:
  static StatusOr<std::shared_ptr<Doorbell>> create();
  /// The doorbell of another process.
  static StatusOr<std::shared_ptr<Doorbell>> open(FileDescriptor fd);

  int fd() const { return memory.fd(); }

  /// Wakes the sleeper. What was written before is seen by it.
  void ring();
  /// Count of rings so far; a sleeper looks for work after this call.
  uint32_t count() const;
  /// Sleeps until it is rung, `untilNanos` (nowNanos()) has come, or for no
  /// reason; not at all if it was rung since it was at `seen`.
  void wait(uint32_t seen, int64_t untilNanos) const;

private:
  explicit Doorbell(SharedMemory memory) : memory(std::move(memory)) {}
  std::atomic<uint32_t> &word() const;
  SharedMemory memory;
};

} // namespace graphc::runtime

#endif
