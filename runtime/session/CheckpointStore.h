// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Place of a run's checkpoints: one file, or the folder of a training.
#ifndef GRAPHC_RUNTIME_SESSION_CHECKPOINTSTORE_H
#define GRAPHC_RUNTIME_SESSION_CHECKPOINTSTORE_H

#include "runtime/session/Session.h"

#include <memory>
#include <string>

namespace graphc::runtime {

/// Thread-safety: one call at a time.
class CheckpointStore {
public:
  using Texts = TensorReader::Texts;

  virtual ~CheckpointStore() = default;

  /// For people: the file or folder.
  virtual std::string name() const = 0;
  /// True when there is a checkpoint.
  virtual bool exists() = 0;
  /// Texts that the latest checkpoint has beside its values.
  virtual StatusOr<Texts> texts() = 0;
  /// Gives the session the values of the latest checkpoint that is whole, and
  /// returns what that one says beside them.
  virtual StatusOr<Texts> load(Session &session) = 0;
  /// Writes a checkpoint of the session as it is now, after that step of that
  /// graph; may go on while steps run.
  virtual Status write(Session &session, const std::string &graph,
                       uint64_t step, const Texts &texts) = 0;
  /// Waits until what write() was called for is on disk.
  virtual Status finish() = 0;
};

/// One safetensors file, which is replaced as a whole before write() returns.
std::shared_ptr<CheckpointStore> checkpointFile(std::string path);

} // namespace graphc::runtime

#endif
