// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/emulator/InFlight.h"

#include <cstring>
#include <utility>

namespace graphc::emulator {

namespace {

constexpr int kRubbish = 0xcb;

} // namespace

bool InFlight::Copy::isIn(std::span<const uint8_t> memory) const {
  const uint8_t *begin = from ? from : to;
  return begin < memory.data() + memory.size() &&
         memory.data() < begin + bytes.size();
}

void InFlight::end(const Copy &copy) {
  if (!copy.from)
    std::memcpy(copy.to, copy.bytes.data(), copy.bytes.size());
  else if (std::memcmp(copy.from, copy.bytes.data(), copy.bytes.size()) != 0)
    isChanged = true;
}

void InFlight::settle(std::span<const uint8_t> memory) {
  std::erase_if(
      copies,
      [&](const Copy &copy) {
        bool isDone = copy.isIn(memory);
        if (isDone)
          end(copy);
        return isDone;
      });
}

void InFlight::bring(OperationId operation, uint8_t *to,
                     std::span<const uint8_t> bytes) {
  copies.push_back({operation, nullptr, to, {bytes.begin(), bytes.end()}});
  std::memset(to, kRubbish, bytes.size());
}

void InFlight::take(OperationId operation, std::span<const uint8_t> bytes) {
  copies.push_back(
      {operation, bytes.data(), nullptr, {bytes.begin(), bytes.end()}});
}

bool InFlight::wait(const Timeline &timeline, const Clock &host) {
  std::erase_if(copies, [&](const Copy &copy) {
    bool isDone = timeline.isBefore(copy.operation, host);
    if (isDone)
      end(copy);
    return isDone;
  });
  return !std::exchange(isChanged, false);
}

void InFlight::forget(std::span<const uint8_t> memory) {
  std::erase_if(
      copies, [&](const Copy &copy) { return copy.isIn(memory); });
}

} // namespace graphc::emulator
