// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/server/Listen.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {

class Socket {
public:
  Socket(int family, int type) : fd(socket(family, type | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket &) = delete;
  ~Socket() {
    if (fd >= 0)
      close(fd);
  }
  const int fd;
};

Status cannotListen(const TaskAddress &address, int error) {
  std::string text = "cannot listen at " + address.toString() + ": ";
  if (error == EADDRINUSE)
    return {StatusCode::AlreadyExists,
            text + "another process does; stop it, or choose another port "
                   "(port 0: any that is free)"};
  if (error == EADDRNOTAVAIL)
    return invalidArgument(text + "this machine has no such address; --bind "
                                  "gives one that it has, --advertise the one "
                                  "that others use");
  if (error == EACCES || error == EPERM)
    return permissionDenied(text + std::strerror(error) +
                            "; ports below 1024 are for root");
  return unavailable(text + std::strerror(error));
}

Status checkUnix(const TaskAddress &address) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, address.path.c_str(), sizeof(name.sun_path) - 1);
  struct stat file = {};
  if (lstat(address.path.c_str(), &file) != 0) {
    std::string folder = address.path.substr(0, address.path.rfind('/') + 1);
    if (access(folder.c_str(), W_OK | X_OK) != 0)
      return permissionDenied("cannot listen at " + address.toString() + ": " +
                              folder + ": " + std::strerror(errno));
    return Status::ok();
  }
  if (!S_ISSOCK(file.st_mode))
    return {StatusCode::AlreadyExists, "cannot listen at " +
                                           address.toString() +
                                           ": there is a file of that name "
                                           "that is no socket"};
  Socket probe(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK);
  if (connect(probe.fd, reinterpret_cast<sockaddr *>(&name), sizeof(name)) == 0)
    return cannotListen(address, EADDRINUSE);
  if (errno != ECONNREFUSED)
    return cannotListen(address, errno == EAGAIN ? EADDRINUSE : errno);
  return Status::ok(); // left by a process that has died; gRPC replaces it
}

} // namespace

Status checkCanListen(const TaskAddress &address) {
  if (address.isUnix())
    return checkUnix(address);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo *list = nullptr;
  int failed = getaddrinfo(address.host.c_str(),
                           std::to_string(address.port).c_str(), &hints, &list);
  if (failed)
    return invalidArgument("cannot listen at " + address.toString() + ": " +
                           gai_strerror(failed));
  std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(list, freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (addrinfo *one = list; one; one = one->ai_next) {
    Socket probe(one->ai_family, SOCK_STREAM);
    int yes = 1; // as gRPC does; a server that has just ended is not in the way
    setsockopt(probe.fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(probe.fd, one->ai_addr, one->ai_addrlen) == 0 &&
        listen(probe.fd, 1) == 0)
      return Status::ok();
    if (errno != EAFNOSUPPORT)
      error = errno;
  }
  return cannotListen(address, error);
}

} // namespace graphc::runtime
