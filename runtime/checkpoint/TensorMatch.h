// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tensors of a checkpoint are which variables of a model, where the two
// need not be the same.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_TENSORMATCH_H
#define GRAPHC_RUNTIME_CHECKPOINT_TENSORMATCH_H

#include "runtime/data/TensorReader.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Rules for taking a checkpoint of another model.
struct MatchOptions {
  /// Variables that the checkpoint lacks, or has with another shape, keep their
  /// values.
  bool isPartial = false;
  /// Names in the checkpoint, by those of the model's variables.
  std::map<std::string, std::string> renames{};
};

struct TensorMatch {
  std::vector<std::string> taken, missing, unused;
  std::vector<std::string> renamed;   ///< "new = old"
  std::vector<std::string> differing; ///< "name: float32[2] there, ..."
  /// A line for each kind that there is; empty: all are the same.
  std::string table() const;
};

/// `reader` under the model's names, without what the model cannot take; the
/// result keeps it alive. INVALID_ARGUMENT for a rename of something that is
/// not there, and, unless `isPartial`, of nothing else: who takes the values
/// says what does not fit.
StatusOr<std::shared_ptr<const TensorReader>>
matchTensors(std::shared_ptr<const TensorReader> reader,
             std::span<const NamedType> variables, const MatchOptions &options,
             TensorMatch &match);

} // namespace graphc::runtime

#endif
