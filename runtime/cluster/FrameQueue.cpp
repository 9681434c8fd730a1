// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cluster/FrameQueue.h"

#include <algorithm>
#include <cstring>

using namespace graphc::runtime;

namespace {
constexpr size_t kFirstEntries = 64;
constexpr size_t kFirstRing = 64 << 10;
/// A larger ring goes back to the system when it is empty.
constexpr size_t kMostIdleRing = 16 << 20;
} // namespace

void FrameQueue::push(const FrameHeader &header,
                      std::span<const std::byte> payload, bool keeps) {
  if (tail - head == entries.size())
    growEntries();
  if (!keeps && kept == tail)
    ++kept;
  Entry &entry = entries[tail & (entries.size() - 1)];
  entry.header = header;
  entry.place = 0;
  if (keeps && !payload.empty()) {
    entry.place = place(payload.size());
    std::memcpy(ring.data() + entry.place, payload.data(), payload.size());
  }
  ++tail;
  total += sizeof(FrameHeader) + header.size;
}

std::span<const std::byte> FrameQueue::payload(uint64_t number) const {
  const Entry &entry = entries[number & (entries.size() - 1)];
  return std::span(ring).subspan(entry.place, entry.header.size);
}

void FrameQueue::dropPayload() {
  const Entry &entry = entries[kept & (entries.size() - 1)];
  if (entry.header.size > 0)
    ringBegin = entry.place + entry.header.size;
  if (++kept != tail)
    return;
  ringBegin = ringEnd = 0;
  if (ring.size() > kMostIdleRing)
    ring = {};
}

void FrameQueue::pop() {
  if (kept == head)
    dropPayload();
  total -= sizeof(FrameHeader) + header(head).size;
  ++head;
}

void FrameQueue::clear() {
  head = kept = tail = 1;
  total = 0;
  ringBegin = ringEnd = 0;
}

void FrameQueue::growEntries() {
  std::vector<Entry> grown(std::max(kFirstEntries, entries.size() * 2));
  for (uint64_t number = head; number != tail; ++number)
    grown[number & (grown.size() - 1)] = entries[number & (entries.size() - 1)];
  entries = std::move(grown);
}

/// Begin and end never meet while something is kept, so that full and empty
/// differ.
bool FrameQueue::isPlaceable(size_t size) const {
  if (ringEnd < ringBegin)
    return size < ringBegin - ringEnd;
  return size <= ring.size() - ringEnd || size < ringBegin;
}

size_t FrameQueue::place(size_t size) {
  if (!isPlaceable(size))
    growRing(size);
  if (ringEnd >= ringBegin && size > ring.size() - ringEnd)
    ringEnd = 0;
  size_t found = ringEnd;
  ringEnd += size;
  return found;
}

void FrameQueue::growRing(size_t size) {
  size_t used = size;
  for (uint64_t number = kept; number != tail; ++number)
    used += header(number).size;
  std::vector<std::byte> grown(
      std::max({kFirstRing, ring.size() * 2, used + 1}));
  size_t end = 0;
  for (uint64_t number = kept; number != tail; ++number) {
    std::span<const std::byte> bytes = payload(number);
    std::ranges::copy(bytes, grown.begin() + end);
    entries[number & (entries.size() - 1)].place = end;
    end += bytes.size();
  }
  ring = std::move(grown);
  ringBegin = 0;
  ringEnd = end;
}
