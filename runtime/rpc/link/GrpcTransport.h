// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gRPC streams as a transport.
#ifndef GRAPHC_RUNTIME_RPC_LINK_GRPCTRANSPORT_H
#define GRAPHC_RUNTIME_RPC_LINK_GRPCTRANSPORT_H

#include "runtime/rpc/server/GrpcServer.h"
#include "runtime/transport/Transport.h"

#include <functional>

namespace graphc::runtime {

inline constexpr const char *kGrpcTransport = "grpc";

/// Streams from a server's process to the servers of other tasks, whose own
/// streams ServiceHandler::onLink has. `self` is what others are told of this
/// task, `wake` see ServiceHandler. A peer's address is the one that it was met
/// at. The server outlives the transport.
TransportKind grpcTransport(GrpcServer &server, const Meeting &self,
                            std::function<void()> wake);

} // namespace graphc::runtime

#endif
