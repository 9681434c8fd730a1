// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/link/FrameQueue.h"

#include <algorithm>
#include <cstring>

using namespace graphc::runtime;

namespace {
constexpr size_t kFirstEntries = 64;
} // namespace

void FrameQueue::push(const FrameHeader &header,
                      std::span<const std::byte> payload, bool keeps) {
  if (tail - head == entries.size())
    grow();
  if (!keeps && kept == tail)
    ++kept;
  Entry &added = entry(tail);
  added.header = header;
  if (keeps && !payload.empty()) {
    auto copy = std::make_shared_for_overwrite<std::byte[]>(payload.size());
    std::memcpy(copy.get(), payload.data(), payload.size());
    added.payload = std::move(copy);
  }
  ++tail;
  total += sizeof(FrameHeader) + header.size;
}

void FrameQueue::dropPayload() {
  entry(kept).payload.reset();
  ++kept;
}

void FrameQueue::pop() {
  if (kept == head)
    dropPayload();
  total -= sizeof(FrameHeader) + header(head).size;
  ++head;
}

void FrameQueue::clear() {
  while (!isEmpty())
    pop();
  head = kept = tail = 1;
}

void FrameQueue::grow() {
  std::vector<Entry> grown(std::max(kFirstEntries, entries.size() * 2));
  for (uint64_t number = head; number != tail; ++number)
    grown[number & (grown.size() - 1)] = std::move(entry(number));
  entries = std::move(grown);
}
