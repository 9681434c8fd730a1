// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory where a peer on the same host puts values in place.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHM_RECEIVEARENA_H
#define GRAPHC_RUNTIME_TRANSPORT_SHM_RECEIVEARENA_H

#include "runtime/transport/PolledConnection.h"
#include "runtime/transport/SharedMemory.h"

#include <map>
#include <vector>

namespace graphc::runtime {

/// Maximum that one side of a pair of tasks may offer or map.
inline constexpr size_t kMaxArenaBlocks = 64;
inline constexpr size_t kMaxArenaBytes = size_t(8) << 30;

/// This task's memory for values of one peer. An offset is a block's number and
/// a place in the block. Thread-safety: one call at a time.
class ReceiveArena final : public ReceiveMemory {
public:
  /// Aligned to cache lines; without address where there is no memory left.
  SharedPlace allocate(size_t bytes);
  void release(uint64_t offset) override;

  /// To be passed to the peer, in this order.
  const std::vector<SharedMemory> &blocks() const { return list; }
  size_t places() const { return used.size(); }

private:
  bool addBlock(size_t bytes);
  std::vector<SharedMemory> list;
  size_t total = 0;
  std::map<uint64_t, uint64_t> unused; ///< offset -> bytes
  std::map<uint64_t, uint64_t> used;
};

/// A peer's arena as this process maps it. Thread-safety: one call at a time.
class PeerArena {
public:
  /// INVALID_ARGUMENT where it is more than a peer may offer.
  Status addBlock(FileDescriptor fd, uint64_t bytes);
  /// Without address where not all of it is in a block.
  PeerPlace find(uint64_t offset, size_t bytes) const;

private:
  std::vector<std::shared_ptr<const SharedMemory>> list;
  size_t total = 0;
};

} // namespace graphc::runtime

#endif
