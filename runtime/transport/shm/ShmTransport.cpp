// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/shm/ShmTransport.h"

#include "runtime/base/Clock.h"
#include "runtime/base/ThreadAnnotations.h"
#include "runtime/transport/shm/ShmConnection.h"
#include "runtime/transport/shm/ShmListener.h"

namespace graphc::runtime {

namespace {

/// A task of this machine answers at once; the caller's thread waits for it.
constexpr int64_t kConnectNanos = 300'000'000;

class ShmTransport final : public Transport {
public:
  ShmTransport(const TransportHost &host, std::unique_ptr<ShmListener> listener)
      : host(host), listener(std::move(listener)) {}

  std::string address() const override { return listener->address(); }
  Status probe(const PeerAddress &peer) const override {
    if (peer.host == host.host && !peer.of(kShmTransport).empty())
      return Status::ok();
    return failedPrecondition(peer.name +
                              " is on another machine or was started with "
                              "--route=grpc; --route=shm needs it here");
  }
  void connect(const PeerAddress &peer, Done done) override {
    done(dialShm(peer.of(kShmTransport), host.self, peer.task, host.doorbell,
                 nowNanos() + kConnectNanos));
  }

private:
  const TransportHost host;
  std::unique_ptr<ShmListener> listener;
};

/// The ends of all tasks of a process.
struct InprocHosts {
  Mutex mutex;
  std::map<TaskId, TransportHost> hosts GRAPHC_GUARDED_BY(mutex);
};

class InprocShmTransport final : public Transport {
public:
  InprocShmTransport(const TransportHost &host,
                     std::shared_ptr<InprocHosts> shared)
      : host(host), all(std::move(shared)) {
    MutexLock lock(all->mutex);
    all->hosts[host.self] = host;
  }
  ~InprocShmTransport() override {
    MutexLock lock(all->mutex);
    all->hosts.erase(host.self);
  }

  Status probe(const PeerAddress &peer) const override {
    return find(peer.task) ? Status::ok()
                           : unavailable(peer.name + " is not in this process");
  }
  void connect(const PeerAddress &peer, Done done) override {
    std::optional<TransportHost> other = find(peer.task);
    if (!other)
      return done(probe(peer));
    StatusOr<Pair> made = makePair(*other);
    if (!made.isOk())
      return done(made.status());
    done(std::move(made->near));
    other->onConnection(host.self, std::move(made->far));
  }

private:
  struct Pair {
    std::unique_ptr<PolledConnection> near, far;
  };
  std::optional<TransportHost> find(TaskId task) const {
    MutexLock lock(all->mutex);
    auto found = all->hosts.find(task);
    if (found == all->hosts.end())
      return std::nullopt;
    return found->second;
  }
  StatusOr<Pair> makePair(const TransportHost &other) const {
    GRAPHC_ASSIGN_OR_RETURN(auto sockets, FdSocket::pair());
    GRAPHC_ASSIGN_OR_RETURN(ShmHandshake here,
                            ShmHandshake::begin(std::move(sockets.first),
                                                host.self, host.doorbell));
    GRAPHC_ASSIGN_OR_RETURN(ShmHandshake there,
                            ShmHandshake::begin(std::move(sockets.second),
                                                other.self, other.doorbell));
    GRAPHC_ASSIGN_OR_RETURN(auto near, here.finish("inproc"));
    GRAPHC_ASSIGN_OR_RETURN(auto far, there.finish("inproc"));
    return Pair{std::move(near.connection), std::move(far.connection)};
  }

  const TransportHost host;
  std::shared_ptr<InprocHosts> all;
};

} // namespace

TransportKind shmTransport() {
  return {
      kShmTransport,
      [](const TransportHost &host) -> StatusOr<std::unique_ptr<Transport>> {
        GRAPHC_ASSIGN_OR_RETURN(
            auto listener,
            ShmListener::start(host.self, host.doorbell, host.onConnection));
        return std::unique_ptr<Transport>(
            std::make_unique<ShmTransport>(host, std::move(listener)));
      }};
}

TransportKind inprocShmTransport() {
  auto all = std::make_shared<InprocHosts>();
  return {
      kShmTransport,
      [all](const TransportHost &host) -> StatusOr<std::unique_ptr<Transport>> {
        return std::unique_ptr<Transport>(
            std::make_unique<InprocShmTransport>(host, all));
      }};
}

} // namespace graphc::runtime
