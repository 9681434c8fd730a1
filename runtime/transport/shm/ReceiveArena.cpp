// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/shm/ReceiveArena.h"

#include <algorithm>

namespace graphc::runtime {

namespace {
constexpr int kBlockShift = 40; ///< of the block's number in an offset
constexpr size_t kLine = 64;
constexpr size_t kPageBytes = 2 << 20; ///< a large one
constexpr size_t kMinBlockBytes = 16 << 20;

size_t roundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}
} // namespace

bool ReceiveArena::addBlock(size_t bytes) {
  bytes = std::max(roundUp(bytes, kPageBytes), kMinBlockBytes);
  if (list.size() == kMaxArenaBlocks || bytes > kMaxArenaBytes - total)
    return false;
  auto memory = SharedMemory::create("graphc-receive", bytes, Keep::Fd);
  if (!memory.isOk())
    return false;
  unused[uint64_t(list.size()) << kBlockShift] = bytes;
  list.push_back(std::move(*memory));
  total += bytes;
  return true;
}

SharedPlace ReceiveArena::allocate(size_t bytes) {
  if (bytes > kMaxArenaBytes)
    return {};
  bytes = roundUp(std::max<size_t>(bytes, 1), kLine);
  auto fits = [bytes](const auto &range) { return range.second >= bytes; };
  auto found = std::find_if(unused.begin(), unused.end(), fits);
  if (found == unused.end()) {
    if (!addBlock(bytes))
      return {};
    found = std::prev(unused.end());
  }
  auto [offset, size] = *found;
  unused.erase(found);
  if (size > bytes)
    unused[offset + bytes] = size - bytes;
  used[offset] = bytes;
  uint64_t inBlock = offset & ((uint64_t(1) << kBlockShift) - 1);
  return {list[offset >> kBlockShift].data() + inBlock, offset};
}

void ReceiveArena::release(uint64_t offset) {
  auto found = used.find(offset);
  if (found == used.end())
    return;
  uint64_t bytes = found->second;
  used.erase(found);
  auto after = unused.lower_bound(offset);
  if (after != unused.end() && after->first == offset + bytes) {
    bytes += after->second;
    after = unused.erase(after);
  }
  if (after != unused.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  unused[offset] = bytes;
}

Status PeerArena::addBlock(FileDescriptor fd, uint64_t bytes) {
  if (list.size() == kMaxArenaBlocks || bytes == 0 ||
      bytes > kMaxArenaBytes - total)
    return invalidArgument("the peer offers more shared memory than " +
                           std::to_string(kMaxArenaBytes >> 30) + " GiB");
  GRAPHC_ASSIGN_OR_RETURN(SharedMemory memory,
                          SharedMemory::open(std::move(fd), bytes));
  list.push_back(std::make_shared<const SharedMemory>(std::move(memory)));
  total += bytes;
  return Status::ok();
}

PeerPlace PeerArena::find(uint64_t offset, size_t bytes) const {
  uint64_t block = offset >> kBlockShift;
  uint64_t inBlock = offset & ((uint64_t(1) << kBlockShift) - 1);
  if (block >= list.size() || inBlock > list[block]->size() ||
      bytes > list[block]->size() - inBlock)
    return {};
  return {list[block]->data() + inBlock, list[block]};
}

} // namespace graphc::runtime
