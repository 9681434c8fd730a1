// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks of a cluster and their devices, from a file:
//
//   {"cluster": {"ps": ["host:2222"], "worker": {"3": "host:2223"}},
//    "devices": {"/job:worker": ["cpu:0", "gpu:0-1"]},
//    "client": "/job:worker/task:3"}
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_CLUSTERDEVICES_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_CLUSTERDEVICES_H

#include "lib/placement/inputs/DeviceItem.h"
#include "runtime/base/TextFile.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc {

/// More tasks, or devices, are a slip of the keyboard, such as gpu:0-30000000.
inline constexpr size_t kMaxDevices = 4096;

struct ClusterDevices {
  std::set<runtime::DeviceName> tasks; ///< at least one
  std::vector<DeviceItem> devices;     ///< all with their task
  std::optional<runtime::DeviceName> client;

  /// Jobs are as runtime::ClusterSpec reads them. Of "devices", the entry of a
  /// task counts, else that of its job.
  static runtime::StatusOr<ClusterDevices> parse(const runtime::TextFile &file);
};

/// "the cluster has no task ...", with the tasks that there are.
std::string unknownTask(const std::string &name,
                        const std::set<runtime::DeviceName> &tasks);

} // namespace graphc

#endif
