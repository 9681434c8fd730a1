// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gRPC server of a task, and its calls to other tasks.
#ifndef GRAPHC_RUNTIME_RPC_SERVER_GRPCSERVER_H
#define GRAPHC_RUNTIME_RPC_SERVER_GRPCSERVER_H

#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/Credentials.h"
#include "runtime/rpc/server/ServiceHandler.h"

#include <memory>

namespace graphc::runtime {

struct GrpcServerOptions {
  TaskAddress bind; ///< port 0: any
  Credentials credentials;
  size_t mostClients = 64;
};

/// Callbacks of a call to another task, see LinkDialer.h.
struct DialEvents;

/// One thread does everything that gRPC has to tell. Also offers reflection and
/// the standard health service: the server as a whole serves while calls are
/// taken, its service graphc.Task while it is ready, too. Memory of a client:
/// see mostBytes() of Conversation.h. Thread-safety: any thread, but start()
/// and stop().
class GrpcServer final : public ClientChannel {
public:
  /// Listens; calls wait until start(). A unix socket that nobody listens to
  /// any more is replaced. ALREADY_EXISTS: the address is taken;
  /// INVALID_ARGUMENT: it is none of this machine.
  static StatusOr<std::unique_ptr<GrpcServer>>
  listen(const GrpcServerOptions &options);
  ~GrpcServer() override;

  /// Address that it listens at, with the port that it got.
  const TaskAddress &address() const;
  size_t clients() const;

  void start(ServiceHandler &handler);
  /// Ends all conversations and links; the handler is not called afterwards.
  void stop(const Status &why);

  /// Sets whether runs can begin, as its health service reports; at first not.
  void setReady(bool isReady);

  // ClientChannel
  bool canReply(ClientId client) const override;
  void reply(ClientId client, protocol::Reply reply) override;

  /// See LinkDialer.
  void dial(TaskId peer, const TaskAddress &address, const Meeting &self,
            DialEvents events);
  void openLink(TaskId peer, const TaskAddress &address, const Meeting &self,
                DialEvents events);

private:
  struct State;
  GrpcServer();
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
