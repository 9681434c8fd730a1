// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters as TensorFlow's example trainers take them: a flag of addresses for
// each job.
#include "runtime/base/TaskAddress.h"
#include "runtime/cluster/ClusterSpec.h"

namespace graphc::runtime {

namespace {

Status addHosts(std::string_view flag, std::string job, std::string_view hosts,
                std::vector<ClusterTask> &tasks) {
  if (hosts.empty())
    return Status::ok();
  uint32_t index = 0;
  for (size_t begin = 0; begin <= hosts.size(); ++index) {
    size_t end = std::min(hosts.find(',', begin), hosts.size());
    std::string_view address = hosts.substr(begin, end - begin);
    StatusOr<TaskAddress> parsed = TaskAddress::parse(address);
    if (!parsed.isOk())
      return parsed.status().annotate(std::string(flag) + ", address " +
                                      std::to_string(index + 1));
    tasks.push_back({job, index, std::string(address)});
    begin = end + 1;
  }
  return Status::ok();
}

} // namespace

StatusOr<ClusterSpec> parseHostLists(std::string_view psHosts,
                                     std::string_view workerHosts,
                                     std::string_view chiefHosts) {
  std::vector<ClusterTask> tasks;
  GRAPHC_TRY(addHosts("--chief_hosts", "chief", chiefHosts, tasks));
  GRAPHC_TRY(addHosts("--ps_hosts", "ps", psHosts, tasks));
  GRAPHC_TRY(addHosts("--worker_hosts", "worker", workerHosts, tasks));
  if (tasks.empty())
    return invalidArgument("no hosts are given; name them, such as "
                           "--ps_hosts=a:2222 --worker_hosts=b:2222,c:2222");
  return ClusterSpec::make(std::move(tasks));
}

} // namespace graphc::runtime
