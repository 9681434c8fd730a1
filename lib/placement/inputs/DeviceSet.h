// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices to compile for, in the order in which placement prefers them.
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_DEVICESET_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_DEVICESET_H

#include "runtime/base/DeviceName.h"
#include "runtime/json/JsonFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// Priorities of kinds that no list gives one, as in TensorFlow.
inline constexpr int kGpuPriority = 210;
inline constexpr int kCpuPriority = 70;
inline constexpr int kOtherPriority = 50;

struct TargetDevice {
  runtime::DeviceName name;           ///< all five fields are set
  std::string fullName;               ///< canonical
  std::string type;                   ///< "GPU"
  int priority = 0;                   ///< higher ones are preferred
  std::optional<int64_t> memoryLimit; ///< bytes
  bool implied = false; ///< the CPU:0 of a task that nobody asked for
};

/// Devices that the user specified; see DeviceSet::make.
struct DeviceSources {
  /// Each is what one --devices gave: items between commas, each a device
  /// ("gpu:0", "/job:worker/task:1/device:GPU:0"), several ("gpu:0-3"), and
  /// with "=4GiB" after it the memory of each.
  std::vector<std::string> devices;
  /// CPU:0 to CPU:N-1 of the client's task.
  std::optional<int64_t> cpuDevices;
  /// {"cluster": {"ps": ["host:2222"], "worker": {"3": "host:2223"}},
  ///  "devices": {"/job:worker": ["gpu:0-1"]}, "client": "/job:worker/task:3"}
  std::optional<runtime::TextFile> cluster;
  /// [{"name": "/job:a/task:0/device:TPU:0", "priority": 300,
  ///   "memory": "4GiB"}, ...]; complete, so nothing may be given beside it.
  std::optional<runtime::TextFile> deviceList;
  /// The number of workers to keep, the first by job and task, with all of
  /// their devices; 0: all.
  int64_t workers = 0;
};

/// Thread-safety: immutable once made.
class DeviceSet {
public:
  /// Names without a job are of the client's task: the cluster's "client",
  /// else /job:localhost/replica:0/task:0 when there is no cluster, else the
  /// first task of job chief, else of worker, else of all. A set without
  /// localhost and without cluster chooses in the same way. Every task has a
  /// CPU:0, given or not, but for a device list. InvalidArgument names the
  /// option, or file and line, the cause and the cure.
  static runtime::StatusOr<DeviceSet> make(const DeviceSources &sources);

  /// cpu:0 of localhost alone.
  static DeviceSet makeDefault();

  /// REQUIRES: the names are full and differ, and have type and fullName set.
  DeviceSet(std::vector<TargetDevice> devices, runtime::DeviceName clientTask,
            std::vector<std::string> warnings = {});

  /// In the order of choice: by priority, highest first, then those of the
  /// client's task, then by job, replica, task, type and id, numbers as
  /// numbers.
  const std::vector<TargetDevice> &devices() const { return all; }
  size_t size() const { return all.size(); }
  const TargetDevice &operator[](size_t index) const { return all[index]; }

  /// The device with that name; what it leaves open of the task is taken from
  /// the client's.
  std::optional<size_t> find(const runtime::DeviceName &name) const;

  /// Those that the name stands for, in the order of choice.
  llvm::SmallVector<size_t> matching(const runtime::DeviceName &spec) const;

  /// The CPU:0 of the device's task. Only a device list can lack one.
  std::optional<size_t> hostOf(size_t index) const { return hosts[index]; }
  /// The CPU:0 of the client's task.
  std::optional<size_t> clientHost() const { return client; }
  /// Job, replica and task of the client.
  const runtime::DeviceName &clientTask() const { return clientName; }

  bool sameTask(size_t a, size_t b) const {
    return all[a].name.isInSameTaskAs(all[b].name);
  }

  /// The tasks of a cluster that are of workers, by job and number.
  std::vector<runtime::DeviceName> workerTasks() const;

  /// Suggestions for better spellings of names.
  const std::vector<std::string> &warnings() const { return notes; }

private:
  std::vector<TargetDevice> all;
  llvm::StringMap<size_t> byName;
  std::vector<std::optional<size_t>> hosts;
  std::optional<size_t> client;
  runtime::DeviceName clientName;
  std::vector<std::string> notes;
};

} // namespace graphc

#endif
