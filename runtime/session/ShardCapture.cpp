// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/ShardCapture.h"

namespace graphc::runtime {

void ShardProgress::end(const Status &outcome, SessionState state) {
  MutexLock lock(mutex);
  status = outcome;
  result = std::move(state);
  isOver = true;
  changed.notify_all();
}

StatusOr<const SessionState *> ShardProgress::await() {
  MutexLock lock(mutex);
  while (!isOver)
    changed.wait(lock.native());
  GRAPHC_TRY(status);
  return &result;
}

void ShardCapture::help() {
  if (*driver)
    (*driver)->driveShards();
}

CheckpointManifest::Shard toManifest(const WrittenShard &shard) {
  auto toDigest = [](const protocol::Reply::Shard::Digest &digest) {
    return TensorDigest{digest.low(), digest.high()};
  };
  CheckpointManifest::Shard made;
  made.file = shard.file;
  made.size = shard.written.size();
  made.header = toDigest(shard.written.header());
  for (const auto &[name, digest] : shard.written.tensors())
    made.tensors[name] = toDigest(digest);
  return made;
}

} // namespace graphc::runtime
