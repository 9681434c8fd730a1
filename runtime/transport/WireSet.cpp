// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/WireSet.h"

namespace graphc::runtime {

namespace {
constexpr int kLastPolls = 16; ///< enough for a full ring
} // namespace

void WireSet::add(TaskId peer, std::unique_ptr<PolledWire> wire) {
  auto &memory = memories[peer];
  memory = wire->takeMemory(std::move(memory));
  PolledWire &added = *wire;
  auto entry = std::make_unique<Entry>();
  entry->peer = peer;
  entry->wire = std::move(wire);
  // The link goes over to the new wire before the old one ends.
  std::vector<Entry *> old;
  for (auto &other : entries)
    if (other->peer == peer && !other->isRemoved)
      old.push_back(other.get());
  {
    MutexLock lock(mutex);
    entries.push_back(std::move(entry));
  }
  for (Entry *other : old)
    other->isRemoved = hasRemoved = true;
  node.onWireUp(peer, added);
  sweep();
}

bool WireSet::remove(TaskId peer) {
  bool isFound = false;
  for (auto &entry : entries)
    if (entry->peer == peer && !entry->isRemoved)
      isFound = entry->isRemoved = hasRemoved = true;
  return isFound;
}

void WireSet::release(TaskId peer, uint64_t offset) {
  auto found = memories.find(peer);
  if (found != memories.end() && found->second)
    found->second->release(offset);
}

void WireSet::sweep() {
  if (!hasRemoved || isPolling)
    return;
  hasRemoved = false;
  MutexLock lock(mutex);
  std::erase_if(entries, [](const auto &entry) { return entry->isRemoved; });
}

void WireSet::close() {
  for (auto &entry : entries)
    entry->wire->close();
}

bool WireSet::pollOne(Entry &entry) {
  TaskId peer = entry.peer;
  auto onPacket = [this, peer, &entry](const ByteRanges &packet) {
    if (!entry.isRemoved)
      node.onPacket(peer, packet);
  };
  bool isBusy = entry.wire->poll(onPacket);
  if (!entry.isRemoved && entry.wire->takeRoom()) {
    node.onRoom(peer);
    isBusy = true;
  }
  if (!entry.isRemoved && entry.wire->takeTransferred()) {
    node.onTransfersEnded(peer);
    isBusy = true;
  }
  if (!entry.isRemoved && !isBusy && entry.wire->isBroken()) {
    // What came between the poll and the end is still taken.
    isBusy = true;
    for (int i = 0; i < kLastPolls && entry.wire->poll(onPacket); ++i)
      ;
    if (!entry.isRemoved) {
      entry.isRemoved = hasRemoved = true;
      node.onWireDown(peer, entry.wire->failure());
    }
  }
  return isBusy;
}

bool WireSet::poll() {
  sweep();
  isPolling = true;
  bool isBusy = false;
  for (size_t i = 0; i < entries.size(); ++i)
    if (!entries[i]->isRemoved)
      isBusy |= pollOne(*entries[i]);
  isPolling = false;
  sweep();
  return isBusy;
}

void WireSet::setSleeping(bool isSleeping) {
  for (auto &entry : entries)
    entry->wire->setSleeping(isSleeping);
}

void WireSet::pulse() {
  MutexLock lock(mutex);
  for (auto &entry : entries)
    entry->wire->pulse();
}

} // namespace graphc::runtime
