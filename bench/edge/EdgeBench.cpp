// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves values from one process to another on this host and prints what it took
// as a line of JSON:
//
//   edge-bench ROUTE BYTES SECONDS
//
// ROUTE shm: as two tasks do it, a ReliableLink over shared memory; values of
// 64 KiB and more are written where the receiver reads them, and the next one
// is written when the receiver has said that the place is free. tcp, tcp-large,
// tcp-spin: a plain stream over loopback that the receiver reads into its
// memory, with the kernel's buffers, with large ones, and without blocking.
// BYTES up to 64: the median of one way, half of a round trip. Otherwise the
// bandwidth in one direction.
#include "bench/edge/Side.h"
#include "runtime/base/CopyBytes.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <netinet/tcp.h>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace graphc::runtime;
using graphc::bench::fail;
using graphc::bench::Side;

namespace {

constexpr size_t kMostLatencyBytes = 64;
constexpr size_t kInPlaceBytes = 64 << 10;
constexpr uint64_t kWarmUp = 4;

struct Task {
  std::string_view route;
  size_t bytes = 0;
  double seconds = 0;
  bool isLatency() const { return bytes <= kMostLatencyBytes; }
};

/// What one measurement repeats until its time is over.
template <typename Once>
void measure(const Task &task, Once once, size_t roundTrips) {
  for (uint64_t i = 0; i < kWarmUp; ++i)
    once();
  std::vector<double> times;
  int64_t start = nowNanos(), before = start;
  while (before - start < int64_t(task.seconds * 1e9) || times.size() < 4) {
    once();
    int64_t now = nowNanos();
    times.push_back(double(now - before));
    before = now;
  }
  double total = double(before - start);
  std::sort(times.begin(), times.end());
  double median = times[times.size() / 2];
  std::printf("{\"route\": \"%s\", \"bytes\": %zu, \"repeats\": %zu, ",
              std::string(task.route).c_str(), task.bytes, times.size());
  if (task.isLatency())
    std::printf("\"one_way_us\": %.3f}\n", median * 1e-3 / double(roundTrips));
  else
    std::printf("\"gb_per_s\": %.3f}\n",
                double(times.size()) * double(task.bytes) / total);
}

// Shared memory.

/// Answers each value: data by data, a value in place by a free place.
[[noreturn]] void receiveShared(const Task &task, FdSocket socket) {
  Side side(std::move(socket), 1);
  side.waitUp();
  std::byte small[kMostLatencyBytes] = {};
  SharedPlace place;
  if (!task.isLatency()) {
    place = side.shared().allocate(task.bytes);
    if (!place.address)
      fail("no shared memory for " + std::to_string(task.bytes) + " bytes");
    side.send(FrameKind::Landing, 0, place.offset, {});
  }
  for (uint64_t step = 0;; ++step) {
    if (task.isLatency()) {
      side.waitFor(FrameKind::Data, step + 1);
      side.send(FrameKind::Data, step, 0, std::span(small, task.bytes));
    } else {
      side.send(FrameKind::Begun, step, 0, {});
      side.waitFor(FrameKind::InPlace, step + 1);
    }
  }
}

void sendShared(const Task &task, FdSocket socket) {
  Side side(std::move(socket), 0);
  side.waitUp();
  std::vector<std::byte> value(task.bytes, std::byte(1));
  uint64_t step = 0;
  if (task.isLatency())
    return measure(
        task,
        [&] {
          side.send(FrameKind::Data, step, 0, value);
          side.waitFor(FrameKind::Data, ++step);
        },
        2);
  side.waitFor(FrameKind::Landing, 1);
  std::byte *place = side.shared().peerPlace(side.lastOffset(), task.bytes);
  if (!place)
    fail("the receiver's memory is not there");
  measure(
      task,
      [&] {
        side.waitFor(FrameKind::Begun, step + 1);
        copyBytes(place, value);
        side.send(FrameKind::InPlace, step++, 0, {});
      },
      1);
}

// TCP.

void setOption(int fd, int level, int name, int value) {
  if (::setsockopt(fd, level, name, &value, sizeof value) != 0)
    fail(std::string("setsockopt: ") + std::strerror(errno));
}

void tune(int fd, std::string_view route) {
  setOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  if (route == "tcp-large") {
    setOption(fd, SOL_SOCKET, SO_SNDBUF, 4 << 20);
    setOption(fd, SOL_SOCKET, SO_RCVBUF, 4 << 20);
  }
}

/// False: the other end is closed.
bool receiveAll(int fd, std::byte *to, size_t bytes, int flags) {
  while (bytes) {
    ssize_t got = ::recv(fd, to, bytes, flags);
    if (got == 0 || (got < 0 && errno == ECONNRESET))
      return false;
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      fail(std::string("recv: ") + std::strerror(errno));
    if (got > 0) {
      to += got;
      bytes -= size_t(got);
    }
  }
  return true;
}

void sendAll(int fd, const std::byte *from, size_t bytes, int flags) {
  while (bytes) {
    ssize_t sent = ::send(fd, from, bytes, flags | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      fail(std::string("send: ") + std::strerror(errno));
    if (sent > 0) {
      from += sent;
      bytes -= size_t(sent);
    }
  }
}

int flagsOf(const Task &task) {
  return task.route == "tcp-spin" ? MSG_DONTWAIT : 0;
}

[[noreturn]] void receiveTcp(const Task &task, int listener) {
  int fd = ::accept(listener, nullptr, nullptr);
  if (fd < 0)
    fail(std::string("accept: ") + std::strerror(errno));
  tune(fd, task.route);
  std::vector<std::byte> value(task.bytes);
  while (receiveAll(fd, value.data(), value.size(), flagsOf(task)))
    if (task.isLatency())
      sendAll(fd, value.data(), value.size(), flagsOf(task));
  ::_exit(0);
}

void sendTcp(const Task &task, const sockaddr_in &address) {
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  tune(fd, task.route);
  if (::connect(fd, reinterpret_cast<const sockaddr *>(&address),
                sizeof address) != 0)
    fail(std::string("connect: ") + std::strerror(errno));
  std::vector<std::byte> value(task.bytes, std::byte(1));
  measure(
      task,
      [&] {
        sendAll(fd, value.data(), value.size(), flagsOf(task));
        if (task.isLatency())
          receiveAll(fd, value.data(), value.size(), flagsOf(task));
      },
      2);
  ::close(fd);
}

int listenTcp(const Task &task, sockaddr_in &address) {
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  tune(fd, task.route); // the window's size is agreed on at the start
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(fd, reinterpret_cast<sockaddr *>(&address), size) != 0 ||
      ::listen(fd, 1) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    fail(std::string("listen: ") + std::strerror(errno));
  return fd;
}

/// Keeps a process on the first or the last core that it may use, so that the
/// two do not share one.
void pin(bool isFirst) {
  cpu_set_t all, one;
  if (::sched_getaffinity(0, sizeof all, &all) != 0)
    fail(std::string("sched_getaffinity: ") + std::strerror(errno));
  int chosen = -1;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all) && (chosen < 0 || !isFirst))
      chosen = core;
  CPU_ZERO(&one);
  CPU_SET(chosen, &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0)
    fail(std::string("sched_setaffinity: ") + std::strerror(errno));
}

/// Runs `receive` in a process of its own beside `send`.
template <typename Receive, typename Send>
void runBoth(Receive receive, Send send) {
  pid_t child = ::fork();
  if (child < 0)
    fail("cannot start a second process");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(false);
    receive();
  }
  pin(true);
  send();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

} // namespace

int main(int argc, char **argv) {
  Task task;
  if (argc == 4)
    task = {argv[1], std::strtoull(argv[2], nullptr, 10),
            std::strtod(argv[3], nullptr)};
  if (task.bytes == 0 || task.seconds <= 0 ||
      (!task.isLatency() && task.bytes < kInPlaceBytes))
    fail("usage: edge-bench shm|tcp|tcp-large|tcp-spin BYTES SECONDS, with "
         "BYTES up to 64 or from 65536");
  if (task.route == "shm") {
    auto sockets = FdSocket::pair();
    if (!sockets.isOk())
      fail(sockets.status().toString());
    runBoth([&] { receiveShared(task, std::move(sockets->first)); },
            [&] { sendShared(task, std::move(sockets->second)); });
    return 0;
  }
  sockaddr_in address{};
  int listener = listenTcp(task, address);
  runBoth([&] { receiveTcp(task, listener); }, [&] { sendTcp(task, address); });
  return 0;
}
