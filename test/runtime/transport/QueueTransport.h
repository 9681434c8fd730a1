// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transport between tasks of one process without shared memory: packets in
// queues, and puts that end later than the calls that begin them.
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_QUEUETRANSPORT_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_QUEUETRANSPORT_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/transport/Transport.h"

#include <atomic>
#include <cstring>
#include <deque>

namespace graphc::test {

using namespace runtime;

/// Places of one task, where a peer puts values.
class HeapMemory final : public ReceiveMemory {
public:
  SharedPlace allocate(size_t bytes) {
    MutexLock lock(mutex);
    std::vector<std::byte> &place = places[++last];
    place.resize(bytes);
    return {place.data(), last};
  }
  void release(uint64_t offset) override {
    MutexLock lock(mutex);
    places.erase(offset);
  }
  bool has(uint64_t offset, size_t bytes) {
    MutexLock lock(mutex);
    auto found = places.find(offset);
    return found != places.end() && found->second.size() == bytes;
  }
  bool put(uint64_t offset, std::span<const std::byte> bytes) {
    MutexLock lock(mutex);
    auto found = places.find(offset);
    if (found == places.end() || found->second.size() != bytes.size())
      return false;
    std::memcpy(found->second.data(), bytes.data(), bytes.size());
    return true;
  }

private:
  Mutex mutex;
  std::map<uint64_t, std::vector<std::byte>> places GRAPHC_GUARDED_BY(mutex);
  uint64_t last GRAPHC_GUARDED_BY(mutex) = 0;
};

/// State of one end of a connection that the other end uses.
struct QueueEnd {
  Mutex mutex;
  std::deque<std::vector<std::byte>> packets GRAPHC_GUARDED_BY(mutex);
  std::shared_ptr<HeapMemory> memory GRAPHC_GUARDED_BY(mutex);
  bool isClosed GRAPHC_GUARDED_BY(mutex) = false;
  std::shared_ptr<Doorbell> bell; ///< of the task that takes the packets
};

class QueueConnection final : public PolledConnection {
public:
  QueueConnection(std::shared_ptr<QueueEnd> own,
                  std::shared_ptr<QueueEnd> other, std::atomic<int> &puts)
      : own(std::move(own)), other(std::move(other)), puts(puts) {}
  ~QueueConnection() override { close(); }

  // Connection
  size_t room() const override { return 4 << 20; }
  void transmit(std::span<const std::byte> head,
                std::span<const std::byte> body) override {
    std::vector<std::byte> packet(head.begin(), head.end());
    packet.insert(packet.end(), body.begin(), body.end());
    {
      MutexLock lock(other->mutex);
      other->packets.push_back(std::move(packet));
    }
    other->bell->ring();
  }
  bool isLossless() const override { return true; }
  SharedPlace allocate(size_t bytes) override {
    return memory ? memory->allocate(bytes) : SharedPlace{};
  }
  bool reaches(uint64_t offset, size_t bytes) override {
    std::shared_ptr<HeapMemory> target = peerMemory();
    return target && target->has(offset, bytes);
  }
  Transfer put(uint64_t offset, std::span<const std::byte> bytes) override {
    pending.push_back({++lastTransfer, offset, bytes});
    own->bell->ring(); // poll() makes it
    return {Transfer::State::Pending, lastTransfer};
  }
  Transfer::State transferState(uint64_t id) override {
    for (const Put &put : pending)
      if (put.id == id)
        return Transfer::State::Pending;
    auto found = ended.find(id);
    if (found == ended.end())
      return Transfer::State::Failed;
    Transfer::State state = found->second;
    ended.erase(found);
    return state;
  }
  const char *route() const override { return "queue"; }

  // PolledConnection
  bool poll(const std::function<void(const ByteRanges &)> &onPacket) override {
    makePuts();
    std::deque<std::vector<std::byte>> taken;
    {
      MutexLock lock(own->mutex);
      std::swap(taken, own->packets);
    }
    for (const std::vector<std::byte> &packet : taken)
      onPacket(ByteRanges(packet.data(), packet.size()));
    return !taken.empty();
  }
  bool isBroken() override {
    MutexLock lock(own->mutex);
    return own->isClosed;
  }
  Status failure() const override { return unavailable("the queue is closed"); }
  bool takeRoom() override { return false; }
  bool takeTransferred() override { return std::exchange(hasEnded, false); }
  void setSleeping(bool) override {}
  void heartbeat() override { transmit({}, {}); }
  void close() override {
    for (const auto &end : {own, other}) {
      MutexLock lock(end->mutex);
      end->isClosed = true;
    }
    other->bell->ring();
  }
  std::shared_ptr<ReceiveMemory>
  takeMemory(std::shared_ptr<ReceiveMemory> before) override {
    memory = before ? std::dynamic_pointer_cast<HeapMemory>(before)
                    : std::make_shared<HeapMemory>();
    MutexLock lock(own->mutex);
    own->memory = memory;
    return memory;
  }

private:
  struct Put {
    uint64_t id, offset;
    std::span<const std::byte> bytes;
  };
  std::shared_ptr<HeapMemory> peerMemory() {
    MutexLock lock(other->mutex);
    return other->memory;
  }
  void makePuts() {
    for (const Put &put : std::exchange(pending, {})) {
      std::shared_ptr<HeapMemory> target = peerMemory();
      bool isDone = target && target->put(put.offset, put.bytes);
      ended[put.id] = isDone ? Transfer::State::Done : Transfer::State::Failed;
      puts += isDone;
      hasEnded = true;
    }
  }

  std::shared_ptr<QueueEnd> own, other;
  std::shared_ptr<HeapMemory> memory;
  std::vector<Put> pending;
  std::map<uint64_t, Transfer::State> ended;
  uint64_t lastTransfer = 0;
  bool hasEnded = false;
  std::atomic<int> &puts;
};

/// The hosts of all ends, by task.
struct QueueHosts {
  Mutex mutex;
  std::map<TaskId, TransportHost> hosts GRAPHC_GUARDED_BY(mutex);
  std::atomic<int> puts = 0; ///< that were made
};

class QueueTransport final : public Transport {
public:
  QueueTransport(const TransportHost &host, std::shared_ptr<QueueHosts> shared)
      : host(host), all(std::move(shared)) {
    MutexLock lock(all->mutex);
    all->hosts[host.self] = host;
  }

  Status probe(const PeerAddress &) const override { return Status::ok(); }
  void connect(const PeerAddress &peer, Done done) override {
    TransportHost other;
    {
      MutexLock lock(all->mutex);
      other = all->hosts.at(peer.task);
    }
    auto near = std::make_shared<QueueEnd>(),
         far = std::make_shared<QueueEnd>();
    near->bell = host.doorbell;
    far->bell = other.doorbell;
    done(std::unique_ptr<PolledConnection>(
        std::make_unique<QueueConnection>(near, far, all->puts)));
    other.onConnection(host.self,
                       std::make_unique<QueueConnection>(far, near, all->puts));
  }

private:
  const TransportHost host;
  std::shared_ptr<QueueHosts> all;
};

inline TransportKind queueTransport(std::shared_ptr<QueueHosts> all) {
  return {
      "queue",
      [all](const TransportHost &host) -> StatusOr<std::unique_ptr<Transport>> {
        return std::unique_ptr<Transport>(
            std::make_unique<QueueTransport>(host, all));
      }};
}

} // namespace graphc::test

#endif
