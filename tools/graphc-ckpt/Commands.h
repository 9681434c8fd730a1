// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of graphc-ckpt. Each prints to stdout and returns the exit code.
#ifndef GRAPHC_TOOLS_GRAPHC_CKPT_COMMANDS_H
#define GRAPHC_TOOLS_GRAPHC_CKPT_COMMANDS_H

#include "runtime/base/Status.h"
#include "runtime/checkpoint/TrainDirectory.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::ckpt {

/// Exit code of diff where the two differ.
inline constexpr int kExitDiffers = 1;

struct CkptOptions {
  std::string command;
  std::vector<std::string> paths;
  std::string output;       ///< of convert and average
  int64_t shards = 1;       ///< of a folder that is written
  bool showsValues = false; ///< show: statistics of the elements
  double tolerance = 0;     ///< diff: largest difference that counts as none
  bool onlyTells = false;   ///< prune: what would be removed
  runtime::RetentionPolicy keeps;
};

/// Checkpoints of a training's folder: step, size, metrics, whether whole.
runtime::StatusOr<int> list(const CkptOptions &options);
/// A checkpoint's tensors and what it says beside them.
runtime::StatusOr<int> show(const CkptOptions &options);
/// Differences of two checkpoints.
runtime::StatusOr<int> diff(const CkptOptions &options);
/// Another form of a checkpoint: .safetensors, .npz, or a folder.
runtime::StatusOr<int> convert(const CkptOptions &options);
/// A checkpoint with the means of the values of several.
runtime::StatusOr<int> average(const CkptOptions &options);
/// Removes checkpoints that are not to be kept.
runtime::StatusOr<int> prune(const CkptOptions &options);

/// Tensors to `output`, by its ending: .safetensors, .npz, else a folder of so
/// many shards.
runtime::Status writeTensors(const std::string &output, int64_t shards,
                             std::span<const runtime::NamedTensor> tensors,
                             const runtime::TensorReader::Texts &texts);

} // namespace graphc::ckpt

#endif
