// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the tasks of a cluster can run a plan together: lists all
// mismatches of all tasks in one table.
#ifndef GRAPHC_RUNTIME_PROTOCOL_HANDSHAKE_H
#define GRAPHC_RUNTIME_PROTOCOL_HANDSHAKE_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/format/Model.h"
#include "runtime/protocol/cluster.pb.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// One thing that does not fit.
struct Mismatch {
  std::string task;
  /// Property that is compared; `allowed` names these: "task", "protocol",
  /// "format", "cluster", "cpu", "device", "gpu" (code for it), "memory",
  /// "plan", "clock". Data are compared by each run, among its tasks.
  std::string what;
  std::string expected;
  std::string found;
  std::string fix;
};

/// Clocks may differ by so much from the client's.
inline constexpr int64_t kMaxClockOffsetMillis = 5000;

/// All mismatches: tasks in the order of the cluster, at each in the order of
/// Mismatch::what. descriptions[i] is what answers at the address of task i;
/// one without a task's name was not asked, which only matters where the task
/// is one of `needed` (null: the plan has programs for it). `clockMillis` is
/// the client's time since 1970 when the descriptions came; nothing: clocks are
/// compared with their median.
std::vector<Mismatch>
findMismatches(const Model &plan, const ClusterSpec &cluster,
               std::span<const protocol::Reply::Description> descriptions,
               std::optional<int64_t> clockMillis = std::nullopt,
               const std::vector<TaskId> *needed = nullptr);

/// With aligned columns, a line each, below a line with their names.
std::string mismatchTable(std::span<const Mismatch> mismatches);

/// Success, or FAILED_PRECONDITION with the table of all mismatches. Those that
/// `allowed` names, such as "clock", do not fail; their table goes to
/// `warnings` where that is not null. A client that runs the programs of
/// accelerators by their code for the CPU allows "device" and "gpu".
Status compareTasks(const Model &plan, const ClusterSpec &cluster,
                    std::span<const protocol::Reply::Description> descriptions,
                    std::span<const std::string> allowed,
                    std::optional<int64_t> clockMillis = std::nullopt,
                    std::string *warnings = nullptr,
                    const std::vector<TaskId> *needed = nullptr);

} // namespace graphc::runtime

#endif
