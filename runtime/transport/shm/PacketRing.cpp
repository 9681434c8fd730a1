// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/shm/PacketRing.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace graphc::runtime {

namespace {
constexpr size_t kLine = 64;
constexpr size_t kSizeBytes = 8;       ///< before a packet's bytes
constexpr uint64_t kSkip = UINT64_MAX; ///< instead of a size: go on at 0
/// Beyond here an empty ring goes on at its start, so that light traffic stays
/// in the caches and touches little memory.
constexpr uint64_t kHotBytes = 64 << 10;

static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(sizeof(RingControl) <= kRingDataOffset);
static_assert(kRingBytes / 2 > kMaxPacketBytes + kLine,
              "an empty ring has room for the largest packet wherever it is");

uint64_t recordBytes(size_t packet) {
  return (packet + kSizeBytes + kLine - 1) / kLine * kLine;
}

/// Read once: the writer could change it.
uint64_t sizeAt(const std::byte *record) {
  return __atomic_load_n(reinterpret_cast<const uint64_t *>(record),
                         __ATOMIC_RELAXED);
}

/// The largest packet in `bytes` of whole lines.
size_t packetIn(uint64_t bytes) { return bytes ? bytes - kSizeBytes : 0; }
} // namespace

RingWriter::RingWriter(std::byte *memory)
    : shared(reinterpret_cast<RingControl *>(memory)),
      data(memory + kRingDataOffset) {}

size_t RingWriter::roomFrom(uint64_t taken) const {
  uint64_t used = written - taken;
  if (used > kRingBytes || taken % kLine) {
    broken = true;
    return 0;
  }
  uint64_t left = kRingBytes - used;
  uint64_t toEnd = kRingBytes - written % kRingBytes;
  // Skipping to the start takes the rest of the ring from what is left.
  uint64_t largest = left <= toEnd ? left : std::max(toEnd, left - toEnd);
  return std::min(packetIn(largest), kMaxPacketBytes);
}

size_t RingWriter::room() const {
  if (broken)
    return 0;
  size_t room = roomFrom(takenBefore);
  if (room < kMaxPacketBytes) {
    takenBefore = shared->taken.load(std::memory_order_acquire);
    room = roomFrom(takenBefore);
  }
  return room;
}

/// True when the record goes to the start although it fits here.
bool RingWriter::rewinds(uint64_t place, uint64_t bytes) const {
  if (place < kHotBytes || bytes > place)
    return false;
  takenBefore = shared->taken.load(std::memory_order_acquire);
  return takenBefore == written;
}

void RingWriter::write(std::span<const std::byte> head,
                       std::span<const std::byte> body) {
  assert(head.size() + body.size() > 0);
  assert(head.size() + body.size() <= room());
  uint64_t size = head.size() + body.size();
  uint64_t bytes = recordBytes(size);
  uint64_t place = written % kRingBytes;
  if (bytes > kRingBytes - place || rewinds(place, bytes)) {
    std::memcpy(data + place, &kSkip, sizeof kSkip);
    written += kRingBytes - place;
    place = 0;
  }
  std::byte *record = data + place;
  std::memcpy(record, &size, sizeof size);
  record += kSizeBytes;
  if (!head.empty())
    std::memcpy(record, head.data(), head.size());
  if (!body.empty())
    std::memcpy(record + head.size(), body.data(), body.size());
  written += bytes;
  // Sequentially consistent: whoever writes looks at readerSleeps next.
  shared->written.store(written);
}

RingReader::RingReader(std::byte *memory)
    : shared(reinterpret_cast<RingControl *>(memory)),
      data(memory + kRingDataOffset) {}

std::optional<std::span<const std::byte>> RingReader::fail() {
  broken = true;
  return std::nullopt;
}

std::optional<std::span<const std::byte>> RingReader::front() {
  if (broken)
    return std::nullopt;
  if (taken == end) {
    end = shared->written.load();
    if (end - taken > kRingBytes || end % kLine)
      return fail();
    if (taken == end)
      return std::nullopt;
  }
  uint64_t place = taken % kRingBytes;
  uint64_t size = sizeAt(data + place);
  if (size == kSkip) {
    uint64_t rest = kRingBytes - place;
    if (end - taken <= rest)
      return fail();
    taken += rest;
    place = 0;
    size = sizeAt(data);
  }
  if (size > kMaxPacketBytes)
    return fail();
  uint64_t bytes = recordBytes(size);
  if (bytes > end - taken || bytes > kRingBytes - place)
    return fail();
  next = taken + bytes;
  return std::span(data + place + kSizeBytes, size);
}

void RingReader::pop() { taken = next; }

void RingReader::release() {
  // Sequentially consistent: the reader looks at writerSleeps next.
  shared->taken.store(taken);
}

} // namespace graphc::runtime
