// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/ConnectionSet.h"

namespace graphc::runtime {

namespace {
constexpr int kLastPolls = 16; ///< enough for a full ring
} // namespace

void ConnectionSet::add(TaskId peer,
                        std::unique_ptr<PolledConnection> connection) {
  auto &memory = memories[peer];
  memory = connection->takeMemory(std::move(memory));
  PolledConnection &added = *connection;
  auto entry = std::make_unique<Entry>();
  entry->peer = peer;
  entry->connection = std::move(connection);
  // The link goes over to the new connection before the old one ends.
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
  node.onConnectionUp(peer, added);
  sweep();
}

bool ConnectionSet::remove(TaskId peer) {
  bool isFound = false;
  for (auto &entry : entries)
    if (entry->peer == peer && !entry->isRemoved)
      isFound = entry->isRemoved = hasRemoved = true;
  return isFound;
}

void ConnectionSet::release(TaskId peer, uint64_t offset) {
  auto found = memories.find(peer);
  if (found != memories.end() && found->second)
    found->second->release(offset);
}

void ConnectionSet::sweep() {
  if (!hasRemoved || isPolling)
    return;
  hasRemoved = false;
  MutexLock lock(mutex);
  std::erase_if(entries, [](const auto &entry) { return entry->isRemoved; });
}

void ConnectionSet::close() {
  for (auto &entry : entries)
    entry->connection->close();
}

bool ConnectionSet::pollOne(Entry &entry) {
  TaskId peer = entry.peer;
  auto onPacket = [this, peer, &entry](const ByteRanges &packet) {
    if (!entry.isRemoved)
      node.onPacket(peer, packet);
  };
  bool isBusy = entry.connection->poll(onPacket);
  if (!entry.isRemoved && entry.connection->takeRoom()) {
    node.onRoom(peer);
    isBusy = true;
  }
  if (!entry.isRemoved && entry.connection->takeTransferred()) {
    node.onTransfersEnded(peer);
    isBusy = true;
  }
  if (!entry.isRemoved && !isBusy && entry.connection->isBroken()) {
    // What came between the poll and the end is still taken.
    isBusy = true;
    for (int i = 0; i < kLastPolls && entry.connection->poll(onPacket); ++i)
      ;
    if (!entry.isRemoved) {
      entry.isRemoved = hasRemoved = true;
      node.onConnectionDown(peer, entry.connection->failure());
    }
  }
  return isBusy;
}

bool ConnectionSet::poll() {
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

void ConnectionSet::setSleeping(bool isSleeping) {
  for (auto &entry : entries)
    entry->connection->setSleeping(isSleeping);
}

void ConnectionSet::heartbeat() {
  MutexLock lock(mutex);
  for (auto &entry : entries)
    entry->connection->heartbeat();
}

} // namespace graphc::runtime
