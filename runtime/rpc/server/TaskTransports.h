// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of transports of a task's process, and what its handshake tells of
// them.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_TASKTRANSPORTS_H
#define GRAPHC_RUNTIME_RPC_SERVER_TASKTRANSPORTS_H

#include "runtime/rpc/server/GrpcServer.h"
#include "runtime/rpc/server/GrpcTask.h"
#include "runtime/transport/Transport.h"

#include <functional>

namespace graphc::runtime {

/// Those that `route` allows, the fastest first. See grpcTransport() for the
/// other arguments.
TransportKinds taskTransports(Route route, GrpcServer &server,
                              const Meeting &self, std::function<void()> wake);

/// Writes where a task's transports are reached into its answer.
void writeAddresses(const std::map<std::string, std::string> &addresses,
                    Greeting &greeting);
/// The peer that gave the answer, at the address where it was met.
PeerAddress readGreeting(const Greeting &greeting, const ClusterTask &task);

} // namespace graphc::runtime

#endif
