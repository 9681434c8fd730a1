// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address of a task: "host:port", "[v6]:port" or "unix:/path".
#ifndef GRAPHC_RUNTIME_BASE_TASKADDRESS_H
#define GRAPHC_RUNTIME_BASE_TASKADDRESS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// Thread-safety: as a value type.
struct TaskAddress {
  std::string host;  ///< without brackets; empty for a unix socket
  uint16_t port = 0; ///< 0: any
  std::string path;  ///< of a unix socket; else empty

  /// INVALID_ARGUMENT: "'<text>' <what is wrong and the accepted forms>".
  static StatusOr<TaskAddress> parse(std::string_view text);

  bool isUnix() const { return !path.empty(); }
  /// Only processes of this machine can reach it: a unix socket, "localhost",
  /// 127.x.x.x or ::1.
  bool isLocal() const;
  /// It stands for all addresses of a machine, where one can listen, but which
  /// nobody can call: 0.0.0.0 or ::.
  bool isWildcard() const;
  /// parse() reads it back.
  std::string toString() const;
};

} // namespace graphc::runtime

#endif
