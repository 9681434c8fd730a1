// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frames of a link that its peer has not taken, by number.
#ifndef GRAPHC_RUNTIME_CLUSTER_FRAMEQUEUE_H
#define GRAPHC_RUNTIME_CLUSTER_FRAMEQUEUE_H

#include "runtime/cluster/Frame.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// A ring of headers and a ring of payload bytes, which grow and are used
/// again, so a link in its steady state allocates nothing. Payloads are kept
/// where they must be sent later or again: those of frames [firstKept(),
/// end()). Thread-safety: one call at a time.
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
    return entries[number & (entries.size() - 1)].header;
  }
  /// Of a kept frame.
  std::span<const std::byte> payload(uint64_t number) const;
  /// Frees the payload of the first kept frame.
  void dropPayload();
  /// Removes the first frame.
  void pop();
  /// Removes all; the next frame has number 1.
  void clear();

private:
  struct Entry {
    FrameHeader header;
    size_t place = 0; ///< of the payload in `ring`
  };

  void growEntries();
  size_t place(size_t size);
  void growRing(size_t size);
  bool isPlaceable(size_t size) const;

  std::vector<Entry> entries;
  uint64_t head = 1, kept = 1, tail = 1;
  size_t total = 0;

  std::vector<std::byte> ring;
  size_t ringBegin = 0, ringEnd = 0; ///< of the kept payloads; may be wrapped
};

} // namespace graphc::runtime

#endif
