// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of a cluster and their addresses.
#ifndef GRAPHC_RUNTIME_CLUSTER_CLUSTERSPEC_H
#define GRAPHC_RUNTIME_CLUSTER_CLUSTERSPEC_H

#include "runtime/base/DeviceName.h"
#include "runtime/base/Status.h"
#include "runtime/cluster/TaskId.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::runtime {

struct ClusterTask {
  std::string job;
  uint32_t index = 0;
  /// "host:port", "[v6]:port" or "unix:/path"; port 0: any, told later.
  std::string address;

  /// "/job:ps/task:0"; the replica is always 0 and is left out.
  std::string name() const;
};

/// The tasks of a cluster, jobs by name, then by index; TaskId is the place
/// here. The dense form {"ps": ["a:1", "b:2"]} and the sparse form {"ps": {"3":
/// "a:1"}} are equal where they list the same. Thread-safety: const after
/// making.
class ClusterSpec {
public:
  /// More are a slip of the keyboard; the compiler has the same limit.
  static constexpr size_t kMaxTasks = 4096;

  ClusterSpec() = default;
  /// INVALID_ARGUMENT where a job, an index or an address is wrong or twice
  /// there.
  static StatusOr<ClusterSpec> make(std::vector<ClusterTask> tasks);

  /// Text of a JSON object: job -> list of addresses or map of index ->
  /// address, also inside {"cluster": ...}. Failures name `where`, line and
  /// field.
  static StatusOr<ClusterSpec> parse(std::string_view text,
                                     std::string_view where);
  /// A file's name, or text that starts with '{'.
  static StatusOr<ClusterSpec> read(const std::string &fileOrText);

  const std::vector<ClusterTask> &tasks() const { return list; }
  size_t size() const { return list.size(); }
  const ClusterTask &task(TaskId id) const { return list[id]; }

  /// Count of worker tasks, the chief among them.
  uint32_t workers() const;

  /// NOT_FOUND that lists the tasks.
  StatusOr<TaskId> find(std::string_view job, uint32_t index) const;
  /// The task of a device ("/job:ps/replica:0/task:0/device:CPU:0").
  StatusOr<TaskId> findDevice(std::string_view device) const;

  /// Says whether two tasks were started with the same cluster: of jobs and
  /// indices, not of addresses, which may differ by where one looks from.
  uint64_t digest() const;
  /// digest() as 16 hex digits, as Reply::Description::cluster_digest has it.
  std::string digestText() const;

  /// {"ps": ["host:port"], ...} in canonical form.
  std::string json() const;

private:
  std::vector<ClusterTask> list;
};

/// Role of a server or a client in a cluster.
struct ClusterRole {
  ClusterSpec cluster;
  std::string job = "worker";
  uint32_t index = 0;
  bool isEvaluator = false; ///< outside the cluster
  bool isChief() const;     ///< job chief, or worker 0 where there is no chief
};

/// TF_CONFIG: {"cluster": {...}, "task": {"type": "worker", "index": 1}}.
/// `text` empty: a role without cluster. Rules: see docs/cluster.md.
StatusOr<ClusterRole> parseTfConfig(std::string_view text);

/// --ps_hosts=a:1,b:2 --worker_hosts=c:3 --job_name=ps --task_index=0.
StatusOr<ClusterSpec> parseHostLists(std::string_view psHosts,
                                     std::string_view workerHosts,
                                     std::string_view chiefHosts = {});

} // namespace graphc::runtime

#endif
