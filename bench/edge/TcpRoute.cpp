// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain stream over loopback that the receiver reads into its memory: with
// the kernel's buffers (tcp), with large ones (tcp-large), without blocking
// (tcp-spin).
#include "bench/edge/Processes.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

using namespace graphc::bench;

namespace {

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
  measure(task, [&] {
    sendAll(fd, value.data(), value.size(), flagsOf(task));
    if (task.isLatency())
      receiveAll(fd, value.data(), value.size(), flagsOf(task));
  });
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

} // namespace

void graphc::bench::runTcp(const Task &task) {
  sockaddr_in address{};
  int listener = listenTcp(task, address);
  runBoth([&] { receiveTcp(task, listener); }, [&] { sendTcp(task, address); });
}
