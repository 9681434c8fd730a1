// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/WorkerRange.h"

#include "lib/placement/inputs/DeviceFiles.h"
#include "lib/replication/ResolveReplication.h"

namespace graphc {

using runtime::Status;
using runtime::StatusOr;

std::string toText(const WorkerRange &range) {
  std::string text = std::to_string(range.first);
  return range.isOne() ? text : text + ".." + std::to_string(range.last);
}

namespace {

/// The largest number of workers of any plan is that of the cluster.
Status checkCluster(const DeviceOptions &devices, const WorkerRange &range) {
  std::string flag = "--workers=" + toText(range);
  GRAPHC_ASSIGN_OR_RETURN(DeviceSet set, readDeviceSet(devices));
  auto workers = static_cast<int64_t>(set.workerTasks().size());
  if (workers == 0)
    return runtime::invalidArgument(
        flag + " counts the tasks of a cluster that compute, and there are "
               "none; name the cluster with --cluster=FILE, and give it a job "
               "worker");
  if (workers >= range.last)
    return Status::ok();
  int64_t most = std::max(workers, range.first);
  return runtime::invalidArgument(
      flag + " needs a cluster with " + std::to_string(range.last) +
      " workers, but this one has " + std::to_string(workers) +
      "; add tasks to job worker" +
      (workers < range.first
           ? std::string()
           : ", or give --workers=" + toText({range.first, most})));
}

} // namespace

Status checkWorkerRange(const CompileOptions &options) {
  const ReplicationOptions &how = options.replication;
  std::string flag = "--workers=" + toText(*how.workers);
  if (how.replicas)
    return runtime::invalidArgument(
        flag + " has a plan for each number of workers, but --replicas=" +
        std::to_string(how.replicas) +
        " fixes the number of towers; drop one of them");
  if (how.replicate == Replicate::None)
    return runtime::invalidArgument(
        flag + " divides the work among workers, but --replicate=none leaves "
               "it to one; drop one of them");
  int64_t quorum = how.sync ? how.sync->workers : 0;
  if (quorum >= how.workers->first)
    return runtime::invalidArgument(
        "--sync=" + toText(*how.sync) +
        " makes updates of fewer gradients than there "
        "are workers, but " +
        flag + " begins with " + std::to_string(how.workers->first) +
        "; begin with " + std::to_string(quorum + 1) + ", or use --sync=all");
  return checkCluster(options.devices, *how.workers);
}

StatusOr<CompileOptions> optionsForWorkers(CompileOptions options,
                                           int64_t workers) {
  options.devices.workers = workers;
  GRAPHC_TRY(resolveReplication(options));
  return options;
}

} // namespace graphc
