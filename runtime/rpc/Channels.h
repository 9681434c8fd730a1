// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The settings of all channels and servers.
#ifndef GRAPHC_RUNTIME_RPC_CHANNELS_H
#define GRAPHC_RUNTIME_RPC_CHANNELS_H

#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/Credentials.h"

#include <grpcpp/channel.h>
#include <grpcpp/server_builder.h>
#include <memory>

namespace graphc::runtime {

/// A channel that connects when it is first used and notices within seconds
/// when the other side is gone or stopped. `isClient`: messages may have any
/// size, since all fetches of a step are one.
std::shared_ptr<grpc::Channel> makeChannel(const TaskAddress &address,
                                           const Credentials &credentials,
                                           bool isClient = false);

void configure(grpc::ServerBuilder &builder);

std::shared_ptr<grpc::ServerCredentials>
serverCredentials(const Credentials &credentials);

/// For the whole process, once; repeated calls do nothing: gRPC's own messages
/// go nowhere unless GRPC_VERBOSITY is set (ours have the same with place and
/// fix), and memory of messages is kept, not given back to the system each
/// time, which doubles the bandwidth.
void prepareProcess();

} // namespace graphc::runtime

#endif
