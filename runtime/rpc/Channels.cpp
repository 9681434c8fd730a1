// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/Channels.h"

#include "runtime/rpc/Buffers.h"

#include <climits>
#include <cstdlib>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <malloc.h>
#include <mutex>

namespace graphc::runtime {

namespace {

constexpr int kKeepaliveMs = 2000, kKeepaliveTimeoutMs = 3000;
constexpr int kMinPingMs = 500; ///< pings that come faster cut the client
constexpr int kKeptMemory = 64 << 20;
constexpr int kLargestKept = 32 << 20; ///< the most that glibc takes

// A link's packet has a few bytes more than a frame.
constexpr int kMaxReceived = kMaxMessageBytes + 4096;

// Without gRPC's estimate of a window (the BDP probe) a peer may send 64 KiB
// and the message that is being read. The estimate has no bound, so that a slow
// reader gets a window of many MiB; with frames as large as ours it is not
// faster either.
constexpr int kHttpFrameBytes = 1 << 20;

void ignoreMessage(gpr_log_func_args *) {}

std::shared_ptr<grpc::ChannelCredentials>
channelCredentials(const Credentials &credentials) {
  if (!credentials.isTls())
    return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials(
      {credentials.ca, credentials.key, credentials.cert});
}

} // namespace

std::shared_ptr<grpc::Channel> makeChannel(const TaskAddress &address,
                                           const Credentials &credentials,
                                           bool isClient) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kHttpFrameBytes);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
  // A cluster's addresses are meant as they are.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(isClient ? INT_MAX : kMaxReceived);
  if (address.isUnix() && credentials.isTls())
    arguments.SetSslTargetNameOverride("localhost");
  return grpc::CreateCustomChannel(address.toString(),
                                   channelCredentials(credentials), arguments);
}

void configure(grpc::ServerBuilder &builder) {
  builder.SetMaxReceiveMessageSize(kMaxReceived);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kHttpFrameBytes);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinPingMs);
  // Two servers on one port would share its connections at random.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

std::shared_ptr<grpc::ServerCredentials>
serverCredentials(const Credentials &credentials) {
  if (!credentials.isTls())
    return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = credentials.ca;
  options.pem_key_cert_pairs.push_back({credentials.key, credentials.cert});
  return grpc::SslServerCredentials(options);
}

void prepareProcess() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!std::getenv("GRPC_VERBOSITY"))
      gpr_set_log_function(ignoreMessage);
    // For good: when gRPC is used no more it cleans up, now and then for 10 s.
    grpc_init();
    mallopt(M_TRIM_THRESHOLD, kKeptMemory);
    mallopt(M_MMAP_THRESHOLD, kLargestKept);
  });
}

} // namespace graphc::runtime
