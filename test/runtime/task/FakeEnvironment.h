// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process, clients and peers for classes of a task that are tested alone.
#ifndef GRAPHC_TEST_RUNTIME_TASK_FAKEENVIRONMENT_H
#define GRAPHC_TEST_RUNTIME_TASK_FAKEENVIRONMENT_H

#include "runtime/task/TaskEnvironment.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace graphc::test {

struct FakeHost final : runtime::TaskHost {
  int64_t nowNanos() const override { return now; }
  int64_t clockMillis() const override { return now / 1'000'000; }
  void log(runtime::Severity, std::string_view line) override {
    text += std::string(line) + "\n";
  }
  void stop() override { isStopped = true; }

  int64_t now = 1'000'000'000;
  std::string text; ///< the log
  bool isStopped = false;
};

/// Keeps what is sent to clients.
struct FakeClients final : runtime::ClientChannel {
  bool canReply(runtime::ClientId client) const override {
    return !full.contains(client);
  }
  void reply(runtime::ClientId client, protocol::Reply reply) override {
    sent.emplace_back(client, std::move(reply));
  }
  /// The reply that was sent last, or an empty one.
  const protocol::Reply &last() const {
    static const protocol::Reply none;
    return sent.empty() ? none : sent.back().second;
  }

  std::vector<std::pair<runtime::ClientId, protocol::Reply>> sent;
  std::set<runtime::ClientId> full;
};

struct FakePeers final : runtime::PeerNetwork {
  void connect(runtime::TaskId peer) override { wanted.insert(peer); }
  bool isPeerUp(runtime::TaskId peer) const override {
    return up.contains(peer);
  }
  void sendFrame(runtime::TaskId peer, const runtime::FrameHeader &header,
                 std::span<const std::byte>) override {
    sent.emplace_back(peer, header);
  }
  runtime::SharedPlace allocateShared(runtime::TaskId peer,
                                      size_t bytes) override {
    if (!up.contains(peer) || !hasSharedMemory)
      return {};
    uint64_t offset = nextPlace++;
    std::vector<std::byte> &place = places[{peer, offset}];
    place.resize(bytes);
    return {place.data(), offset};
  }
  void releaseShared(runtime::TaskId peer, uint64_t offset) override {
    places.erase({peer, offset});
  }
  runtime::PeerPlace peerPlace(runtime::TaskId peer, uint64_t offset,
                               size_t bytes) override {
    auto found = remote.find({peer, offset});
    if (found == remote.end() || found->second.size() != bytes)
      return {};
    return {found->second.data(), nullptr};
  }

  std::set<runtime::TaskId> wanted, up;
  std::vector<std::pair<runtime::TaskId, runtime::FrameHeader>> sent;
  bool hasSharedMemory = false;
  std::map<std::pair<runtime::TaskId, uint64_t>, std::vector<std::byte>> places;
  uint64_t nextPlace = 1;
  /// Buffers in the memory of peers, by their offsets there.
  std::map<std::pair<runtime::TaskId, uint64_t>, std::vector<std::byte>> remote;
};

struct FakeEnvironment {
  runtime::TaskEnvironment environment() { return {host, clients, peers}; }

  FakeHost host;
  FakeClients clients;
  FakePeers peers;
};

} // namespace graphc::test

#endif
