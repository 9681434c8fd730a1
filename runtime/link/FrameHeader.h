// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Frame between tasks: a header of fixed size, and bytes.
#ifndef GRAPHC_RUNTIME_LINK_FRAMEHEADER_H
#define GRAPHC_RUNTIME_LINK_FRAMEHEADER_H

#include "runtime/cluster/TaskId.h"

#include <cstddef>
#include <cstdint>

namespace graphc::runtime {

/// The largest payload of a frame.
inline constexpr size_t kMaxFrameBytes = 1 << 20;

enum class FrameKind : uint8_t {
  Data = 1,    ///< bytes [offset, offset + size) of an edge's value of a step
  InPlace = 2, ///< an edge's value is where the receiver reads it already
  ReceiveBuffer = 3, ///< receiver to sender: the place of an edge's values in
                     ///< memory that both see, `offset`
  Begun = 4,   ///< receiver to sender: step `step` has begun, so its receive
               ///< places are free
  Arrived = 5, ///< to the coordinator: all values for `step`'s update are there
  Sequenced = 6,  ///< from the coordinator, see UpdateSequencer.h; `edge` is
                  ///< the SequenceOp, `offset` the version
  RunFailed = 7,  ///< the run failed at the sender; the payload is a
                  ///< protocol::Failure, the first cause
  Exposed = 8,    ///< sender to receiver: the place of an edge's values in the
                  ///< sender's memory that both see, `offset`
  RemoteRead = 9, ///< receiver to sender: from step `step` on the edge's values
                  ///< are read there; each is done with when the next step has
                  ///< begun (Begun)
};

/// Integers are little-endian. What names a step names its replica, too, so
/// that an update is known by (step, replica).
struct FrameHeader {
  FrameKind kind = FrameKind::Data;
  uint8_t flags = 0;      ///< 0
  uint16_t reserved = 0;  ///< 0
  uint32_t size = 0;      ///< of the payload
  uint64_t runClient = 0; ///< protocol::RunId
  uint64_t runNumber = 0;
  uint64_t step = 0; ///< from 0
  uint32_t graph = 0;
  uint32_t edge = 0;
  uint32_t replica = 0; ///< of a worker's own instance, else 0
  uint32_t part =
      0; ///< SequenceEntry of an update: 1, an Apply follows; else 0
  uint64_t offset = 0;
  /// Data, ReceiveBuffer, Exposed: bytes of the whole value. SequenceEntry of
  /// an Apply: the first 64 bits of the plan's digest. RunFailed: one of the
  /// two below.
  uint64_t total = 0;
};
static_assert(sizeof(FrameHeader) == 64);

/// Of RunFailed: it answers the receiver's own, and wants no answer.
inline constexpr uint64_t kIsAnswer = 1;
/// Of RunFailed: the sender stands at an update, and the receiver, which
/// decides on it, may have failed the run while there was no link.
inline constexpr uint64_t kAsks = 2;

} // namespace graphc::runtime

#endif
