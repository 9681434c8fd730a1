// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/SimNetwork.h"

#include <algorithm>

using namespace graphc::runtime;

namespace {
constexpr size_t kRoom = (2 << 20) + 4096;
constexpr int64_t kDialTimeout = 500'000'000;
constexpr int64_t kMaxOvertaking = 10'000'000;
} // namespace

namespace graphc::runtime {

class SimConnection final : public Connection {
public:
  SimConnection(SimNetwork &network, SimPair &pair, int endpoint)
      : pair(pair), endpoint(endpoint), generation(pair.generation),
        network(network) {}

  size_t room() const override {
    wasFull |= inFlight >= kRoom / 2;
    return kRoom - std::min(kRoom, inFlight);
  }
  void transmit(std::span<const std::byte> head,
                std::span<const std::byte> body) override {
    std::vector<std::byte> packet(head.begin(), head.end());
    packet.insert(packet.end(), body.begin(), body.end());
    network.carry(*this, std::move(packet));
  }
  bool mayDrop() const override { return pair.quality.dropsPackets(); }
  SharedPlace allocate(size_t bytes) override;
  PeerPlace peerPlace(uint64_t offset, size_t bytes) override;
  const char *route() const override { return "sim"; }

  SimPair &pair;
  const int endpoint;
  const uint64_t generation;
  size_t inFlight = 0;
  mutable bool wasFull = false;

private:
  SimNetwork &network;
};

SharedPlace SimConnection::allocate(size_t bytes) {
  if (!network.options.hasSharedMemory)
    return {};
  SimMemory &own = pair.memory[endpoint];
  uint64_t offset =
      own.empty() ? 0 : own.rbegin()->first + own.rbegin()->second->size() + 1;
  auto &place = own[offset];
  place = std::make_shared<std::vector<std::byte>>(bytes);
  return {place->data(), offset};
}

PeerPlace SimConnection::peerPlace(uint64_t offset, size_t bytes) {
  const SimMemory &its = pair.memory[1 - endpoint];
  auto found = its.upper_bound(offset);
  if (found == its.begin())
    return {};
  --found;
  uint64_t inside = offset - found->first;
  if (inside > found->second->size() || bytes > found->second->size() - inside)
    return {};
  return {found->second->data() + inside, found->second};
}

} // namespace graphc::runtime

SimNetwork::SimNetwork(SimEvents &events, SimHost &host,
                       const SimulationOptions &options)
    : events(events), host(host), options(options) {
  TaskId tasks = options.cluster.size();
  pairs.resize(size_t(tasks) * tasks);
  for (TaskId a = 0; a < tasks; ++a)
    for (TaskId b = a + 1; b < tasks; ++b) {
      auto pair = std::make_unique<SimPair>();
      pair->endpoints[0] = a;
      pair->endpoints[1] = b;
      for (const LinkFault &link : options.faults.links)
        if (link.a == kNoTask ||
            std::minmax(link.a, link.b) == std::minmax(a, b))
          pair->quality = link.quality;
      pairs[size_t(a) * tasks + b] = std::move(pair);
    }
}

SimNetwork::~SimNetwork() = default;

SimPair &SimNetwork::pair(TaskId a, TaskId b) {
  auto [low, high] = std::minmax(a, b);
  return *pairs[size_t(low) * options.cluster.size() + high];
}

void SimNetwork::tell(TaskId task, std::function<void(TaskNode &)> event) {
  host.deliver(task, host.incarnation(task), std::move(event));
}

int64_t SimNetwork::delay(const LinkQuality &quality, size_t bytes) {
  return events.between(options.latencyNanos, 2 * options.latencyNanos) +
         static_cast<int64_t>(static_cast<double>(bytes) /
                              options.bytesPerNano) +
         events.between(quality.leastDelay, quality.mostDelay);
}

/// Delay of a packet on a link of limited rate: its own time and that of those
/// before it.
int64_t SimNetwork::queueFor(SimPair &pair, int from, size_t bytes) {
  if (pair.quality.rate == 0)
    return 0;
  int64_t &until = pair.busyUntil[from];
  until = std::max(until, events.now()) +
          static_cast<int64_t>(static_cast<double>(bytes) * 1e9 /
                               pair.quality.rate);
  return until - events.now();
}

void SimNetwork::dial(TaskId from, TaskId to) {
  uint64_t incarnation = host.incarnation(from);
  auto fail = [this, from, to, incarnation](const char *why) {
    host.deliver(from, incarnation, [to, why](TaskNode &node) {
      node.onDialFailed(to, unavailable(why));
    });
  };
  events.after(delay({}, 0), [this, from, to, incarnation, fail] {
    SimPair &between = pair(from, to);
    if (host.incarnation(from) != incarnation)
      return;
    if (events.now() < between.heldUntil)
      events.after(kDialTimeout, [fail] { fail("the connection timed out"); });
    else if (events.now() < between.cutUntil)
      fail("the network cannot be reached");
    else if (!host.incarnation(to))
      fail("the connection was refused");
    else
      connect(between, between.endpoints[0] == from ? 0 : 1);
  });
}

void SimNetwork::connect(SimPair &pair, int dialer) {
  ++pair.generation;
  connectEndpoint(pair, 0, dialer);
  connectEndpoint(pair, 1, dialer);
}

void SimNetwork::connectEndpoint(SimPair &pair, int endpoint, int dialer) {
  tell(pair.endpoints[endpoint],
       [this, &pair, endpoint, dialer,
        generation = pair.generation](TaskNode &node) {
         TaskId peer = pair.endpoints[1 - endpoint];
         if (pair.generation != generation) { // cut before it was noticed
           if (endpoint == dialer)
             node.onDialFailed(peer, unavailable("the connection was cut"));
           return;
         }
         auto old = std::move(
             pair.connections[endpoint]); // until the node knows the new one
         pair.connections[endpoint] =
             std::make_unique<SimConnection>(*this, pair, endpoint);
         node.onConnectionUp(peer, *pair.connections[endpoint]);
       });
}

/// Tells an endpoint that its connection is gone.
void SimNetwork::close(SimPair &pair, int endpoint, const Status &why,
                       bool isAtOnce) {
  if (!pair.connections[endpoint])
    return;
  auto event = [this, &pair, endpoint, why,
                generation = pair.connections[endpoint]->generation] {
    tell(pair.endpoints[endpoint],
         [&pair, endpoint, why, generation](TaskNode &node) {
           if (!pair.connections[endpoint] ||
               pair.connections[endpoint]->generation != generation)
             return;
           node.onConnectionDown(pair.endpoints[1 - endpoint], why);
           pair.connections[endpoint].reset();
         });
  };
  if (isAtOnce)
    return event();
  events.at(std::max({events.now() + delay(pair.quality, 0),
                      pair.lastArrival[endpoint], pair.heldUntil}),
            event);
}

void SimNetwork::hangUp(TaskId from, TaskId to) {
  SimPair &between = pair(from, to);
  int endpoint = between.endpoints[0] == from ? 0 : 1;
  between.connections[endpoint].reset();
  close(between, 1 - endpoint,
        unavailable("the peer has closed the connection"), false);
}

void SimNetwork::kill(TaskId task) {
  for (TaskId peer = 0; peer < options.cluster.size(); ++peer) {
    if (peer == task)
      continue;
    SimPair &between = pair(task, peer);
    int endpoint = between.endpoints[0] == task ? 0 : 1;
    between.connections[endpoint].reset();
    close(between, 1 - endpoint,
          unavailable("the peer has reset the connection"), false);
  }
}

void SimNetwork::cut(TaskId a, TaskId b, int64_t forNanos) {
  SimPair &between = pair(a, b);
  ++between.generation;
  between.cutUntil = std::max(between.cutUntil, events.now() + forNanos);
  for (int endpoint : {0, 1})
    close(between, endpoint, unavailable("the connection was cut"), true);
}

void SimNetwork::partition(TaskId a, TaskId b, int64_t forNanos) {
  SimPair &between = pair(a, b);
  between.heldUntil = std::max(between.heldUntil, events.now() + forNanos);
}

void SimNetwork::carry(SimConnection &connection,
                       std::vector<std::byte> packet) {
  SimPair &pair = connection.pair;
  const LinkQuality &quality = pair.quality;
  bool isHeld = events.now() < pair.heldUntil;
  if (quality.dropsPackets() && (isHeld || events.happens(quality.loss)))
    return;
  int64_t &last = pair.lastArrival[1 - connection.endpoint];
  auto shared =
      std::make_shared<const std::vector<std::byte>>(std::move(packet));
  for (int copies = 1 + events.happens(quality.duplicate); copies > 0;
       --copies) {
    int64_t arrival = std::max(events.now(), isHeld ? pair.heldUntil : 0) +
                      delay(quality, shared->size()) +
                      queueFor(pair, connection.endpoint, shared->size());
    if (events.happens(quality.reorder))
      arrival += events.between(0, kMaxOvertaking);
    else
      last = arrival = std::max(arrival, last + 1);
    connection.inFlight += shared->size();
    events.at(arrival, [this, &pair, from = connection.endpoint,
                        generation = connection.generation,
                        shared] { arrive(pair, from, generation, *shared); });
  }
}

void SimNetwork::arrive(SimPair &pair, int from, uint64_t generation,
                        const std::vector<std::byte> &packet) {
  tell(pair.endpoints[1 - from], [this, &pair, from, generation,
                                  packet](TaskNode &node) {
    auto isHere = [&](int endpoint) {
      return pair.connections[endpoint] &&
             pair.connections[endpoint]->generation == generation;
    };
    if (isHere(1 - from))
      node.onPacket(pair.endpoints[from], packet);
    if (!isHere(from))
      return;
    SimConnection &connection = *pair.connections[from];
    connection.inFlight -= packet.size();
    if (!connection.wasFull || connection.inFlight >= kRoom / 4)
      return;
    connection.wasFull = false;
    TaskId sender = pair.endpoints[from], receiver = pair.endpoints[1 - from];
    events.after(0, [this, sender, receiver] {
      tell(sender, [receiver](TaskNode &node) { node.onRoom(receiver); });
    });
  });
}
