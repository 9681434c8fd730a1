// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/shm/FdSocket.h"

#include "runtime/base/Clock.h"
#include "runtime/cluster/ProtocolVersion.h"
#include "runtime/link/FrameHeader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr uint64_t kMagic = 0x316d68732d636772; // "rgc-shm1"
constexpr size_t kMaxFds = 2;
constexpr int kSocketType = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;

Status systemFailure(const std::string &what) {
  return unavailable(what + ": " + std::strerror(errno));
}

/// A name in the abstract namespace begins with a 0.
StatusOr<socklen_t> setName(sockaddr_un &address, const std::string &name) {
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() + 1 > sizeof address.sun_path)
    return invalidArgument("'" + name + "' is no name of a local socket");
  address.sun_path[0] = 0;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

/// Room for the descriptors of a message, aligned as the kernel wants it.
struct ControlBuffer {
  alignas(cmsghdr) char bytes[CMSG_SPACE(kMaxFds * sizeof(int))] = {};
};

void takeFds(const msghdr &header, std::vector<FileDescriptor> &fds) {
  for (auto *control = CMSG_FIRSTHDR(&header); control;
       control = CMSG_NXTHDR(const_cast<msghdr *>(&header), control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof fd, sizeof fd);
      fds.emplace_back(fd);
    }
  }
}
} // namespace

StatusOr<std::pair<FdSocket, FdSocket>> FdSocket::pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, kSocketType, 0, ends) != 0)
    return systemFailure("cannot make a pair of sockets");
  return std::pair(FdSocket(FileDescriptor(ends[0])),
                   FdSocket(FileDescriptor(ends[1])));
}

StatusOr<FdSocket> FdSocket::connect(const std::string &name) {
  sockaddr_un address{};
  GRAPHC_ASSIGN_OR_RETURN(socklen_t length, setName(address, name));
  FileDescriptor fd(::socket(AF_UNIX, kSocketType, 0));
  if (!fd.isOpen() ||
      ::connect(fd.get(), reinterpret_cast<sockaddr *>(&address), length) != 0)
    return systemFailure("cannot connect to local socket '" + name + "'");
  return FdSocket(std::move(fd));
}

StatusOr<FdSocket> FdSocket::listen(const std::string &name) {
  sockaddr_un address{};
  GRAPHC_ASSIGN_OR_RETURN(socklen_t length, setName(address, name));
  FileDescriptor fd(::socket(AF_UNIX, kSocketType, 0));
  if (!fd.isOpen() ||
      ::bind(fd.get(), reinterpret_cast<sockaddr *>(&address), length) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0)
    return systemFailure("cannot listen on local socket '" + name + "'");
  return FdSocket(std::move(fd));
}

StatusOr<FdSocket> FdSocket::accept() {
  FileDescriptor fd(
      ::accept4(file.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.isOpen())
    return systemFailure("nobody connects");
  return FdSocket(std::move(fd));
}

Status FdSocket::checkPeer() const {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(file.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return systemFailure("cannot tell who is at the other end");
  if (peer.uid != ::geteuid())
    return permissionDenied(
        "the process at the other end belongs to user " +
        std::to_string(peer.uid) + ", not to user " +
        std::to_string(::geteuid()) +
        "; tasks that share memory must run as the same user, or use "
        "--route=grpc");
  return Status::ok();
}

Status FdSocket::send(ShmMessage message, std::initializer_list<int> fds) {
  message.magic = kMagic;
  message.version = kProtocolVersion;
  iovec part{&message, sizeof message};
  ControlBuffer buffer;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = buffer.bytes;
  header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr *control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(control), fds.begin(), fds.size() * sizeof(int));
  if (::sendmsg(file.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) !=
      ssize_t(sizeof message))
    return systemFailure("cannot pass shared memory to the peer");
  return Status::ok();
}

StatusOr<FdSocket::Received> FdSocket::receive(ShmDelivery &delivery) {
  delivery.fds.clear();
  iovec part{&delivery.message, sizeof delivery.message};
  ControlBuffer buffer;
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = buffer.bytes;
  header.msg_controllen = sizeof buffer.bytes;
  ssize_t got = ::recvmsg(file.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0)
    return errno == EAGAIN || errno == EINTR ? Received::Nothing
                                             : Received::Closed;
  takeFds(header, delivery.fds);
  if (got == 0)
    return Received::Closed;
  if (got != ssize_t(sizeof delivery.message) ||
      delivery.message.magic != kMagic)
    return invalidArgument("the peer is no task of graphc");
  if (delivery.message.version != kProtocolVersion)
    return invalidArgument("the peer speaks version " +
                           std::to_string(delivery.message.version) +
                           " of the protocol, this task version " +
                           std::to_string(kProtocolVersion) +
                           "; install the same graphc for both");
  return Received::Message;
}

bool FdSocket::waitReadable(int64_t untilNanos) const {
  for (;;) {
    int64_t left = std::max<int64_t>(0, untilNanos - nowNanos());
    pollfd waiting{file.get(), POLLIN, 0};
    int ready = ::poll(&waiting, 1, int((left + 999'999) / 1'000'000));
    if (ready > 0)
      return true;
    if (ready == 0 || errno != EINTR)
      return false;
  }
}

} // namespace graphc::runtime
