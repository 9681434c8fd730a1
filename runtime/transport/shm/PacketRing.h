// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packets from one thread to another through a ring of bytes in memory that
// both see.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHM_PACKETRING_H
#define GRAPHC_RUNTIME_TRANSPORT_SHM_PACKETRING_H

#include "runtime/base/Status.h"
#include "runtime/link/FrameHeader.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace graphc::runtime {

/// The largest packet: a frame with its headers.
inline constexpr size_t kMaxPacketBytes = kMaxFrameBytes + 512;

/// The start of a ring's memory, which is all 0 at first. The bytes follow at
/// kRingDataOffset. Positions count bytes since the beginning.
struct RingControl {
  alignas(64) std::atomic<uint64_t> written; ///< the writer's
  alignas(64) std::atomic<uint64_t> taken;   ///< the reader's
  /// Set to have one's doorbell rung; cleared by who rings.
  alignas(64) std::atomic<uint32_t> readerSleeps;
  std::atomic<uint32_t> writerSleeps;
  std::atomic<uint32_t> heartbeats; ///< of the writer
};

inline constexpr size_t kRingDataOffset = 4096;
inline constexpr size_t kRingBytes = 4 << 20; ///< of data

/// Each packet is a record: its size, its bytes, filled up to whole cache
/// lines. A record does not wrap around: where it would, the rest of the ring
/// is skipped. Both ends check what the other one writes, since it may be
/// hostile or dying: a ring that breaks the rules stays broken. Thread-safety:
/// each end one call at a time.
class RingWriter {
public:
  explicit RingWriter(std::byte *memory);

  /// The largest packet that write() would take now.
  size_t room() const;
  /// REQUIRES: 0 < head + body <= room(). An empty packet would take a line,
  /// and no room is room for none.
  void write(std::span<const std::byte> head, std::span<const std::byte> body);
  bool isBroken() const { return broken; }
  RingControl &control() const { return *shared; }

private:
  size_t roomFrom(uint64_t taken) const;
  bool rewinds(uint64_t place, uint64_t bytes) const;

  RingControl *shared;
  std::byte *data;
  uint64_t written = 0;
  mutable uint64_t takenBefore = 0; ///< the reader's position when last looked
  mutable bool broken = false;
};

class RingReader {
public:
  explicit RingReader(std::byte *memory);

  /// The next packet, valid until pop(); nothing: there is none, or the ring is
  /// broken.
  std::optional<std::span<const std::byte>> front();
  void pop();
  /// Gives the room of all popped packets back to the writer.
  void release();
  bool isBroken() const { return broken; }
  RingControl &control() const { return *shared; }

private:
  std::optional<std::span<const std::byte>> fail();

  RingControl *shared;
  const std::byte *data;
  uint64_t taken = 0;
  uint64_t end = 0; ///< the writer's position when last looked
  uint64_t next = 0;
  bool broken = false;
};

} // namespace graphc::runtime

#endif
