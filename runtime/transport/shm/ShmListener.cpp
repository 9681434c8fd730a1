// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/shm/ShmListener.h"

#include "runtime/base/Clock.h"
#include "runtime/transport/shm/ShmConnection.h"

#include <algorithm>
#include <list>
#include <poll.h>
#include <random>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr size_t kMaxPending = 64;
constexpr int64_t kHandshakeNanos = 2'000'000'000; ///< a dialer has so long
constexpr int kLookMillis = 500; ///< between looks at dialers that send nothing
/// Delay after accept() fails though somebody waits, e.g. without descriptors.
constexpr int kBackOffMillis = 50;

std::string randomName() {
  std::random_device random;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string name = "graphc-" + std::to_string(::getpid()) + "-";
  for (int i = 0; i < 16; ++i)
    name += kHex[random() % 16];
  return name;
}
} // namespace

struct ShmListener::State {
  struct Pending {
    ShmHandshake handshake;
    int64_t untilNanos;
  };

  void loop();
  bool accept();
  void finishReadable(const std::vector<pollfd> &polled, size_t first);

  TaskId self;
  std::shared_ptr<Doorbell> bell;
  OnConnection onConnection;
  std::string name;
  FdSocket socket;
  FileDescriptor ending; ///< an eventfd
  std::list<Pending> pending;
  std::thread thread;
};

/// False: nobody could be taken.
bool ShmListener::State::accept() {
  auto accepted = socket.accept();
  if (!accepted.isOk())
    return false;
  auto begun = ShmHandshake::begin(std::move(*accepted), self, bell);
  if (begun.isOk()) // else the dialer sees that the socket ends
    pending.push_back({std::move(*begun), nowNanos() + kHandshakeNanos});
  return true;
}

/// `polled` has the pending connections from `first` on.
void ShmListener::State::finishReadable(const std::vector<pollfd> &polled,
                                        size_t first) {
  auto one = pending.begin();
  for (size_t i = first; i < polled.size(); ++i) {
    if (polled[i].revents) {
      auto done = one->handshake.finish();
      if (done.isOk())
        onConnection(done->peer, std::move(done->connection));
      one = pending.erase(one);
    } else {
      one = one->untilNanos < nowNanos() ? pending.erase(one) : std::next(one);
    }
  }
}

void ShmListener::State::loop() {
  for (;;) {
    std::vector<pollfd> polled{{ending.get(), POLLIN, 0},
                               {socket.fd(), POLLIN, 0}};
    if (pending.size() >= kMaxPending)
      polled[1].events = 0;
    for (auto &one : pending)
      polled.push_back({one.handshake.connection().fd(), POLLIN, 0});
    ::poll(polled.data(), polled.size(), kLookMillis);
    if (polled[0].revents)
      return;
    finishReadable(polled, 2);
    if (polled[1].revents && !accept())
      ::poll(polled.data(), 1, kBackOffMillis);
  }
}

ShmListener::ShmListener() : state(std::make_unique<State>()) {}

StatusOr<std::unique_ptr<ShmListener>>
ShmListener::start(TaskId self, std::shared_ptr<Doorbell> bell,
                   OnConnection onConnection) {
  std::unique_ptr<ShmListener> listener(new ShmListener());
  State &state = *listener->state;
  state.self = self;
  state.bell = std::move(bell);
  state.onConnection = std::move(onConnection);
  state.name = randomName();
  GRAPHC_ASSIGN_OR_RETURN(state.socket, FdSocket::listen(state.name));
  state.ending = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  if (!state.ending.isOpen())
    return resourceExhausted("no descriptor is left for the local socket");
  state.thread = std::thread([&state] { state.loop(); });
  return listener;
}

ShmListener::~ShmListener() {
  if (!state->thread.joinable())
    return;
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written =
      ::write(state->ending.get(), &one, sizeof one);
  state->thread.join();
}

const std::string &ShmListener::address() const { return state->name; }

StatusOr<std::unique_ptr<PolledConnection>>
dialShm(const std::string &address, TaskId self, TaskId peer,
        const std::shared_ptr<Doorbell> &bell, int64_t untilNanos) {
  GRAPHC_ASSIGN_OR_RETURN(FdSocket socket, FdSocket::connect(address));
  GRAPHC_ASSIGN_OR_RETURN(ShmHandshake handshake,
                          ShmHandshake::begin(std::move(socket), self, bell));
  if (!handshake.connection().waitReadable(untilNanos))
    return unavailable("local socket '" + address +
                       "' is open, but nobody answers");
  GRAPHC_ASSIGN_OR_RETURN(ShmHandshake::Result result, handshake.finish());
  if (result.peer != peer)
    return failedPrecondition(
        "on local socket '" + address + "' is task number " +
        std::to_string(result.peer) + " of its cluster, not " +
        std::to_string(peer) + "; was it started with the same --cluster?");
  return std::unique_ptr<PolledConnection>(std::move(result.connection));
}

} // namespace graphc::runtime
