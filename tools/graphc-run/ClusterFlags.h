// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of graphc-run that are about clusters.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTERFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTERFLAGS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace graphc::run {

struct ClusterFlags {
  std::vector<std::string> targets; ///< tasks, any of the cluster
  std::string cluster;              ///< file or JSON text
  std::string localCluster;         ///< "ps:1,worker:2": tasks in this process
  std::string spawn;                ///< the same or a cluster file: processes
  std::string worker;               ///< a number, or "all"
  std::optional<bool> isChief;
  bool wholeData = false;     ///< each worker reads all rows
  double deadlineSeconds = 0; ///< 0: none
  double stallSeconds = 60;
  std::string tlsDir;
  std::string whyStuck; ///< a target
  bool stopCluster = false;
  std::string route; ///< of spawned tasks
  int64_t recoveries = 0;

  /// 0: none.
  int64_t deadlineNanos() const {
    return static_cast<int64_t>(deadlineSeconds * 1e9);
  }
  /// Whether the run is one on a cluster.
  bool isUsed() const {
    return !targets.empty() || !cluster.empty() || !localCluster.empty() ||
           !spawn.empty();
  }
  /// Whether tasks are asked or told something without a model.
  bool needsNoModel() const { return !whyStuck.empty() || stopCluster; }
};

void addClusterFlags(CLI::App &app, ClusterFlags &flags);

/// INVALID_ARGUMENT where flags contradict each other.
runtime::Status checkClusterFlags(const ClusterFlags &flags, bool isEmitted,
                                  bool hasCheckpoint);

} // namespace graphc::run

#endif
