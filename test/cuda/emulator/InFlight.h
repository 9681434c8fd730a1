// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emulates copies between devices and pinned memory that the host has not
// waited for.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_INFLIGHT_H
#define GRAPHC_TEST_CUDA_EMULATOR_INFLIGHT_H

#include "test/cuda/emulator/Shadow.h"

#include <list>
#include <span>

namespace graphc::emulator {

/// All work is done when it is submitted; so that a host that is too early
/// still sees a difference, what is copied to it is kept back until it has
/// waited, and what is copied from it is compared then. Thread-safety: none;
/// the driver's lock is held.
class InFlight {
public:
  /// A copy to the host. Until the host has waited, it finds rubbish there.
  void bring(OperationId operation, uint8_t *to,
             std::span<const uint8_t> bytes);

  /// A copy from the host, which must leave the bytes alone until it has
  /// waited.
  void take(OperationId operation, std::span<const uint8_t> bytes);

  /// A device uses the bytes.
  void settle(std::span<const uint8_t> memory);

  /// Ends copies that the host waited for; false if it has changed bytes too
  /// early.
  bool wait(const Timeline &timeline, const Clock &host);

  /// The memory is freed.
  void forget(std::span<const uint8_t> memory);

private:
  struct Copy {
    OperationId operation;
    const uint8_t *from; ///< null: a copy to the host
    uint8_t *to;
    std::vector<uint8_t> bytes;
    bool isIn(std::span<const uint8_t> memory) const;
  };
  void end(const Copy &copy);

  std::list<Copy> copies;
  bool isChanged = false; ///< since the last wait
};

} // namespace graphc::emulator

#endif
