// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/SequentialWalk.h"

namespace graphc::runtime {

SequentialWalk::SequentialWalk(std::span<Executor *const> executors,
                               std::span<const Semaphore> semaphores)
    : executors(executors), cursors(executors.size()) {
  for (const Semaphore &semaphore : semaphores)
    missing.push_back(semaphore.signals.size());
}

std::optional<InstructionId> SequentialWalk::next() {
  for (uint32_t program = 0; program < executors.size(); ++program) {
    const Executor &executor = *executors[program];
    uint32_t &cursor = cursors[program];
    if (cursor == executor.entries.size())
      continue;
    const Executor::Entry &entry = executor.entries[cursor];
    if (entry.semaphore != kNoSemaphore && missing[entry.semaphore] > 0)
      continue;
    for (uint32_t i = 0; i < entry.signalCount; ++i)
      --missing[executor.signals[entry.firstSignal + i]];
    return InstructionId{program, cursor++};
  }
  return std::nullopt;
}

} // namespace graphc::runtime
