// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/link/GrpcTransport.h"

#include "runtime/rpc/CallTarget.h"
#include "runtime/rpc/link/LinkDialer.h"

namespace graphc::runtime {

namespace {

class GrpcTransport final : public Transport {
public:
  GrpcTransport(GrpcServer &server, Meeting self, std::function<void()> wake)
      : server(server), self(std::move(self)), wake(std::move(wake)) {}

  Status probe(const PeerAddress &) const override { return Status::ok(); }

  void connect(const PeerAddress &peer, Done done) override {
    StatusOr<TaskAddress> address = parseTarget(peer.of(kGrpcTransport));
    if (!address.isOk())
      return done(address.status());
    DialEvents events;
    events.onConnection = [done](std::unique_ptr<PolledConnection> connection) {
      done(std::move(connection));
    };
    events.onFailure = [done](const Status &why) { done(why); };
    events.wake = wake;
    server.openLink(peer.task, *address, self, std::move(events));
  }

private:
  GrpcServer &server;
  const Meeting self;
  const std::function<void()> wake;
};

} // namespace

TransportKind grpcTransport(GrpcServer &server, const Meeting &self,
                            std::function<void()> wake) {
  return {kGrpcTransport,
          [&server, self, wake = std::move(wake)](
              const TransportHost &) -> StatusOr<std::unique_ptr<Transport>> {
            return std::unique_ptr<Transport>(
                std::make_unique<GrpcTransport>(server, self, wake));
          }};
}

} // namespace graphc::runtime
