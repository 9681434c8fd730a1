// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes shards of checkpoints for clients whose training's folder this task
// shares.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_SHARDSERVICE_H
#define GRAPHC_RUNTIME_TASK_PLANS_SHARDSERVICE_H

#include "runtime/checkpoint/ShardFile.h"
#include "runtime/task/WaitingRequests.h"
#include "runtime/task/plans/SnapshotStore.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Whatever touches files is done on the host's spare thread, and steps go on.
/// A client that goes, or drops the snapshot, ends the writing.
/// Thread-safety: one call at a time.
class ShardService {
public:
  ShardService(TaskHost &host, OpenRequests &requests, SnapshotStore &snapshots,
               FileLayer &files = systemFiles())
      : host(host), requests(requests), snapshots(snapshots), files(files) {}
  ~ShardService() { cancelAll(); }

  /// Answers whether this task sees the folder and may write the file.
  Status probe(const RequestKey &key,
               const protocol::Request::Snapshot &request);
  /// Writes the copy when it is taken, and answers then.
  Status write(const RequestKey &key,
               const protocol::Request::Snapshot &request, int64_t deadline);

  /// Begins to write what was copied meanwhile; false: nothing.
  bool pump();
  void drop(RunKey id);
  void dropClient(ClientId client);
  /// Ends what is being written, soon and unfinished.
  void cancelAll();
  /// Fails those whose copy has not been made in time.
  void expire(int64_t now);
  int64_t nextDeadline() const { return waiting.nextDeadline(); }

private:
  struct Waiting {
    RequestKey key;
    protocol::Request::Snapshot request;
    int64_t deadline = INT64_MAX;
  };
  /// A shard on the spare thread.
  struct Job {
    RequestKey key;
    RunKey id;
    std::string path;
    int64_t begin = 0;
    std::shared_ptr<const ShardTensors> tensors;
    std::atomic<bool> isCancelled{false};
    StatusOr<CheckpointManifest::Shard> written =
        cancelled("the checkpoint was given up");
  };

  void begin(const Waiting &request,
             std::shared_ptr<const ShardTensors> tensors);
  void end(Job &job);

  TaskHost &host;
  OpenRequests &requests;
  SnapshotStore &snapshots;
  FileLayer &files;
  WaitingRequests<Waiting> waiting; ///< for the copy
  std::vector<std::shared_ptr<Job>> jobs;
};

} // namespace graphc::runtime

#endif
