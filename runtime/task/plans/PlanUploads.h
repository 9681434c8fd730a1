// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices of plans on their way from clients to a task.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_PLANUPLOADS_H
#define GRAPHC_RUNTIME_TASK_PLANS_PLANUPLOADS_H

#include "runtime/protocol/Chunks.h"
#include "runtime/task/OpenRequests.h"
#include "runtime/task/TaskOptions.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Puts slices together from chunks, within a limit for all of them, and takes
/// only plans that are allowed. Thread-safety: one call at a time.
class PlanUploads {
public:
  explicit PlanUploads(const TaskOptions &options)
      : options(options), self(options.cluster.task(options.self).name()) {}

  bool contains(const RequestKey &key) const { return uploads.contains(key); }
  /// PERMISSION_DENIED: clients may not load the plan here.
  Status begin(const RequestKey &key, const protocol::Request::Load &load);
  /// The slice, with its last chunk; before, nothing. After a failure or the
  /// last chunk the upload is over. REQUIRES: contains().
  StatusOr<std::optional<std::vector<std::byte>>>
  add(const RequestKey &key, const protocol::Request::Load &load);
  void dropClient(ClientId client);

private:
  struct Upload {
    std::string plan;     ///< its digest
    std::string manifest; ///< the allowed one, where not all are
    ChunkBuffer buffer;
  };

  const TaskOptions &options;
  const std::string self;
  std::map<RequestKey, Upload> uploads;
  size_t bytesHeld = 0; ///< by all of them
};

} // namespace graphc::runtime

#endif
