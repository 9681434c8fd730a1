// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of graphc-run that are about clusters.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERFLAGS_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERFLAGS_H

#include "tools/flags/ClientFlags.h"

#include <string>
#include <vector>

namespace graphc::run {

struct ClusterFlags : flags::ClientFlags {
  std::vector<std::string> targets; ///< tasks, any of the cluster
  std::string cluster;              ///< file or JSON text
  std::string localCluster;         ///< "ps:1,worker:2": tasks in this process
  std::string spawn;                ///< the same or a cluster file: processes
  std::string tlsDir;
  std::string whyStuck; ///< a target
  bool stopCluster = false;
  std::string route; ///< of spawned tasks

  /// True when the run is one on a cluster.
  bool isUsed() const {
    return !targets.empty() || !cluster.empty() || !localCluster.empty() ||
           !spawn.empty();
  }
  /// True when tasks are asked or told something without a model.
  bool needsNoModel() const { return !whyStuck.empty() || stopCluster; }
};

void addClusterFlags(CLI::App &app, ClusterFlags &flags);

/// INVALID_ARGUMENT where flags contradict each other.
runtime::Status checkClusterFlags(const ClusterFlags &flags, bool isEmitted,
                                  bool hasCheckpoint);

} // namespace graphc::run

#endif
