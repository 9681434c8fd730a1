// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds steps back before they write variables, while a copy of these is made.
#ifndef GRAPHC_RUNTIME_EXECUTOR_UPDATEGATE_H
#define GRAPHC_RUNTIME_EXECUTOR_UPDATEGATE_H

#include "runtime/base/Futex.h"

#include <atomic>
#include <cstdint>

namespace graphc::runtime {

/// Closed between two steps, so that the next one goes on as far as it only
/// reads variables. Thread-safety: any thread.
class UpdateGate {
public:
  void close() { state.store(1); }
  void open() {
    state.store(0);
    futexWake(state, INT32_MAX);
  }
  bool isClosed() const { return state.load() != 0; }

  /// Returns when the gate is open.
  void pass() {
    while (state.load() != 0)
      futexWait(state, 1);
  }

private:
  std::atomic<uint32_t> state{0};
};

} // namespace graphc::runtime

#endif
