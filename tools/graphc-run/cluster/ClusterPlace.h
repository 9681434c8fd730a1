// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Location of the cluster that a run uses: somewhere else, in processes of this
// machine, or in this process.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERPLACE_H
#define GRAPHC_TOOLS_GRAPHC_RUN_CLUSTER_CLUSTERPLACE_H

#include "runtime/client/TaskConnector.h"
#include "runtime/rpc/Credentials.h"
#include "tools/graphc-run/RunOptions.h"

#include <memory>
#include <string>

namespace graphc::run {

/// Ends what it has started when it goes. Thread-safety: any thread.
class ClusterPlace {
public:
  virtual ~ClusterPlace() = default;

  virtual const runtime::ClusterSpec &cluster() const = 0;
  /// A client's way to all tasks.
  virtual runtime::StatusOr<std::unique_ptr<runtime::TaskConnector>>
  connect() = 0;

  /// Of the tasks that this place started and keeps alive: replaces those that
  /// were stopped; their number.
  virtual size_t replaceStopped() { return 0; }
  /// Describes deaths of such tasks, for people; empty: none.
  virtual std::string deaths() { return {}; }
};

/// The place that the flags name.
runtime::StatusOr<std::unique_ptr<ClusterPlace>>
openPlace(const RunOptions &options);

/// The certificates of --tls-dir, which must have the role of a client; with
/// --spawn it is the folder of --make-certs, which has one for tasks, too.
runtime::StatusOr<runtime::Credentials>
clientCredentials(const ClusterFlags &flags);

/// The tasks of --target and --cluster.
runtime::StatusOr<runtime::ClusterSpec>
findTasks(const std::vector<std::string> &targets, const std::string &cluster,
          const ClusterFlags &flags);

} // namespace graphc::run

#endif
