// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a checkpoint has of a session.
#ifndef GRAPHC_RUNTIME_SESSION_SESSIONSTATE_H
#define GRAPHC_RUNTIME_SESSION_SESSIONSTATE_H

#include "runtime/base/Status.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/data/HostTensor.h"
#include "runtime/data/TensorReader.h"

#include <string>
#include <vector>

namespace graphc::runtime {

struct SessionState {
  std::vector<NamedTensor> values; ///< of all variables
  std::vector<std::string> owners; ///< the task of each; empty: this process
  TensorReader::Texts texts;       ///< how far the graphs are
  /// Files that have the values instead of `values`: tasks wrote them.
  std::vector<CheckpointManifest::Shard> shards;
  uint64_t shardBytes = 0; ///< of the tensors in them
};

/// The state of a session at one moment. Steps that follow do not change it;
/// they may wait for await() before they write variables, so call that soon, on
/// another thread. Thread-safety: one call at a time; the session may run steps
/// meanwhile; where it ends it waits for await().
class StateCapture {
public:
  virtual ~StateCapture() = default;
  /// Completes the copy; valid as long as this.
  virtual StatusOr<const SessionState *> await() = 0;
  /// Helps others to complete it, where only the session can talk with them,
  /// until they have. Called by the session's thread before it waits for who
  /// is in await(); runs of steps help, too.
  virtual void help() {}
  /// True when tasks write the values to the folder that they were given.
  virtual bool isOfShards() const { return false; }
  /// Reason for which they do not; empty: nobody needs to know.
  virtual std::string whyNoShards() const { return {}; }
};

} // namespace graphc::runtime

#endif
