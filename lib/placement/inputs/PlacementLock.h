// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An earlier placement that may not change: the file that --lock wrote and
// --locked reads.
//
//   # a comment
//   @w /job:localhost/replica:0/task:0/device:CPU:0
//   train/MatMul /job:localhost/replica:0/task:0/device:GPU:0
//   "train/odd name" /job:localhost/replica:0/task:0/device:GPU:0
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_PLACEMENTLOCK_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_PLACEMENTLOCK_H

#include "lib/placement/Placer.h"
#include "runtime/json/JsonFile.h"

#include "llvm/ADT/StringMap.h"

#include <string>

namespace graphc {

/// Thread-safety: immutable once made.
class PlacementLock {
public:
  struct Entry {
    runtime::DeviceName device;
    int line = 0;
  };

  /// InvalidArgument names file, line, cause and cure.
  static runtime::StatusOr<PlacementLock> parse(const runtime::TextFile &file);

  /// Fails after an error at each of the first ops that are not where the lock
  /// has them. Ops that it does not list, or that are gone, give one warning.
  llvm::LogicalResult check(mlir::ModuleOp module,
                            const PlacementProblem &problem,
                            const Placement &placement) const;

private:
  std::string path;
  llvm::StringMap<Entry> entries; ///< by key: "@w", "train/MatMul"
};

/// The key of a node in a lock: "@w", "train/MatMul".
std::string lockKeyOf(const PlacementProblem &problem, uint32_t node);

} // namespace graphc

#endif
