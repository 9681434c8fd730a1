// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds of runs on their way from clients to a task.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_FEEDASSEMBLY_H
#define GRAPHC_RUNTIME_TASK_RUNS_FEEDASSEMBLY_H

#include "runtime/protocol/Chunks.h"
#include "runtime/task/OpenRequests.h"
#include "runtime/task/runs/TaskRun.h"

#include <map>
#include <string>

namespace graphc::runtime {

/// Puts feeds together from chunks; each that is whole becomes the run's.
/// Thread-safety: one call at a time.
class FeedAssembly {
public:
  using Chunks = google::protobuf::RepeatedPtrField<protocol::Chunk>;

  /// A Prepare whose feeds may come in several messages.
  void begin(const RequestKey &key) { requests[key]; }
  bool isOpen(const RequestKey &key) const { return requests.contains(key); }
  Status add(const RequestKey &key, TaskRun &run, const Chunks &chunks);
  /// Drops what is not whole.
  void end(const RequestKey &key) { requests.erase(key); }

private:
  std::map<RequestKey, std::map<std::string, ChunkBuffer>> requests;
};

} // namespace graphc::runtime

#endif
