// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds of runs on their way from clients to a task.
#ifndef GRAPHC_RUNTIME_TASK_RUNS_FEEDASSEMBLY_H
#define GRAPHC_RUNTIME_TASK_RUNS_FEEDASSEMBLY_H

#include "runtime/protocol/Pieces.h"
#include "runtime/task/OpenRequests.h"
#include "runtime/task/runs/TaskRun.h"

#include <map>
#include <string>

namespace graphc::runtime {

/// Puts feeds together from pieces; each that is whole becomes the run's.
/// Thread-safety: one call at a time.
class FeedAssembly {
public:
  using Pieces = google::protobuf::RepeatedPtrField<protocol::Piece>;

  /// A Prepare whose feeds may come in several messages.
  void begin(const RequestKey &key) { requests[key]; }
  bool isOpen(const RequestKey &key) const { return requests.contains(key); }
  Status add(const RequestKey &key, TaskRun &run, const Pieces &pieces);
  /// Drops what is not whole.
  void end(const RequestKey &key) { requests.erase(key); }

private:
  std::map<RequestKey, std::map<std::string, PieceBuffer>> requests;
};

} // namespace graphc::runtime

#endif
