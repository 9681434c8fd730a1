// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rpc/CallTarget.h"

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::runtime {

StatusOr<TaskAddress> parseTarget(std::string_view text) {
  constexpr std::string_view kScheme = "grpc://";
  bool hasScheme = text.starts_with(kScheme);
  GRAPHC_ASSIGN_OR_RETURN(
      TaskAddress address,
      TaskAddress::parse(hasScheme ? text.substr(kScheme.size()) : text));
  if (!address.isUnix() && address.port == 0)
    return invalidArgument("nobody can be called at port 0 of '" +
                           std::string(text) +
                           "'; give the port at which the task listens");
  return address;
}

std::string hostIdentity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  struct stat space = {};
  if (boot.empty() || stat("/proc/self/ns/net", &space) != 0)
    return "process-" + std::to_string(getpid()); // shares with nobody
  return boot + "/" + std::to_string(space.st_ino);
}

} // namespace graphc::runtime
