// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/TaskTransports.h"

#include "runtime/rpc/link/GrpcTransport.h"
#include "runtime/transport/shm/ShmTransport.h"

namespace graphc::runtime {

TransportKinds taskTransports(Route route, GrpcServer &server,
                              const Meeting &self, std::function<void()> wake) {
  TransportKinds kinds;
  auto add = [&](TransportKind kind) {
    bool isAllowed = route == Route::Auto ||
                     (route == Route::Shm && kind.name == kShmTransport) ||
                     (route == Route::Grpc && kind.name == kGrpcTransport);
    if (isAllowed)
      kinds.push_back(std::move(kind));
  };
  // One line for each, the fastest first.
  add(shmTransport());
  add(grpcTransport(server, self, std::move(wake)));
  return kinds;
}

// The address of shared memory has a field that is older than the map.
void writeAddresses(const std::map<std::string, std::string> &addresses,
                    Greeting &greeting) {
  for (const auto &[name, address] : addresses)
    if (name == kShmTransport)
      greeting.set_shared_memory(address);
    else
      (*greeting.mutable_transports())[name] = address;
}

PeerAddress readGreeting(const Greeting &greeting, const ClusterTask &task) {
  PeerAddress peer;
  peer.task = greeting.task();
  peer.name = task.name();
  peer.host = greeting.host();
  peer.addresses = {greeting.transports().begin(), greeting.transports().end()};
  if (!greeting.shared_memory().empty())
    peer.addresses[kShmTransport] = greeting.shared_memory();
  peer.addresses[kGrpcTransport] = task.address;
  return peer;
}

} // namespace graphc::runtime
