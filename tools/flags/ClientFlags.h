// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags about a client of a cluster: which worker it is, how long it waits
// and what it does when a task is lost.
#ifndef GRAPHC_TOOLS_FLAGS_CLIENTFLAGS_H
#define GRAPHC_TOOLS_FLAGS_CLIENTFLAGS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace graphc::flags {

/// The heading of the flags about clusters in --help.
inline constexpr const char *kClusterGroup = "Clusters";

struct ClientFlags {
  std::string worker; ///< a number, or "all"
  std::optional<bool> isChief;
  bool wholeData = false;     ///< each worker reads all rows
  double deadlineSeconds = 0; ///< 0: none
  double stallSeconds = 60;
  int64_t recoveries = 0;

  /// 0: none.
  int64_t deadlineNanos() const {
    return static_cast<int64_t>(deadlineSeconds * 1e9);
  }
  /// True when a flag that needs a cluster is given.
  bool needCluster() const;
};

void addClientFlags(CLI::App &app, ClientFlags &flags);

/// INVALID_ARGUMENT if a value is wrong or flags contradict each other.
runtime::Status checkClientFlags(const ClientFlags &flags, bool hasCheckpoint);

/// Adds --cluster: where tasks listen.
void addClusterFlag(CLI::App &app, std::string &cluster);

} // namespace graphc::flags

#endif
