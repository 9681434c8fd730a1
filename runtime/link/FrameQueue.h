// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frames of a link that its peer has not taken, by number.
#ifndef GRAPHC_RUNTIME_LINK_FRAMEQUEUE_H
#define GRAPHC_RUNTIME_LINK_FRAMEQUEUE_H

#include "runtime/link/Connection.h"
#include "runtime/link/FrameHeader.h"

#include <vector>

namespace graphc::runtime {

/// A ring of headers, which grows and is used again. Payloads are kept where
/// they must be sent later or again, those of frames [firstKept(), end()), each
/// in memory of its own, so that a connection may share it. Thread-safety: one
/// call at a time.
class FrameQueue {
public:
  /// Frames have the numbers [first(), end()).
  uint64_t first() const { return head; }
  uint64_t end() const { return tail; }
  bool isEmpty() const { return head == tail; }
  uint64_t firstKept() const { return kept; }
  /// Payloads and headers of all frames.
  size_t bytes() const { return total; }

  /// Adds a frame; `keeps` must hold while payloads before it are kept.
  void push(const FrameHeader &header, std::span<const std::byte> payload,
            bool keeps);
  const FrameHeader &header(uint64_t number) const {
    return entry(number).header;
  }
  /// Of a kept frame.
  SharedBytes payload(uint64_t number) const {
    return {{entry(number).payload.get(), entry(number).header.size},
            entry(number).payload};
  }
  /// Frees the payload of the first kept frame.
  void dropPayload();
  /// Removes the first frame.
  void pop();
  /// Removes all; the next frame has number 1.
  void clear();

private:
  struct Entry {
    FrameHeader header;
    std::shared_ptr<const std::byte[]> payload; ///< null: empty or not kept
  };
  const Entry &entry(uint64_t number) const {
    return entries[number & (entries.size() - 1)];
  }
  Entry &entry(uint64_t number) {
    return entries[number & (entries.size() - 1)];
  }
  void grow();

  std::vector<Entry> entries;
  uint64_t head = 1, kept = 1, tail = 1;
  size_t total = 0;
};

} // namespace graphc::runtime

#endif
