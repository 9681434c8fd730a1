// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the data that the tasks of one run have bound.
#ifndef GRAPHC_RUNTIME_CLIENT_BOUNDDATACHECK_H
#define GRAPHC_RUNTIME_CLIENT_BOUNDDATACHECK_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/protocol/cluster.pb.h"

#include <map>
#include <string>

namespace graphc::runtime {

/// Tasks of one run take the same batches, each its part of them. What tasks
/// have for other runs, as the shares of other workers, does not matter.
/// Thread-safety: one call at a time.
class BoundDataCheck {
public:
  /// The cluster, which names tasks in failures, outlives this.
  explicit BoundDataCheck(const ClusterSpec &cluster) : cluster(cluster) {}

  /// FAILED_PRECONDITION: the task has other data than one before.
  Status add(TaskId task, const protocol::Reply::Prepared &prepared);

private:
  struct Seen {
    TaskId task = kNoTask; ///< the first that has told of it
    std::string digest;
  };
  const ClusterSpec &cluster;
  std::map<std::string, Seen> seen; ///< by dataset
};

} // namespace graphc::runtime

#endif
