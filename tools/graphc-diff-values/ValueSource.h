// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named values that two runs can be compared by, whatever wrote them.
#ifndef GRAPHC_TOOLS_GRAPHC_DIFF_VALUES_VALUESOURCE_H
#define GRAPHC_TOOLS_GRAPHC_DIFF_VALUES_VALUESOURCE_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphc::diffvalues {

/// Values of one step, or of a file that is of none.
struct ValueSet {
  uint64_t step = 0; ///< from 1; 0: not known
  std::string path;
};

/// A folder of step-N.npz files, a folder of .npy files, one .npz or .npy file,
/// or a checkpoint. Thread-safety: const calls may run at the same time.
class ValueSource {
public:
  /// NOT_FOUND or INVALID_ARGUMENT say what a path may be.
  static runtime::StatusOr<ValueSource> open(const std::string &path);

  const std::string &path() const { return place; }
  /// In the order of the steps.
  const std::vector<ValueSet> &sets() const { return list; }
  /// True when the sets are of steps, by whose numbers they are compared.
  bool hasSteps() const { return kind == Kind::Dumps; }

  /// The values of a set: of a dump in the order in which the step made them,
  /// else by name.
  runtime::StatusOr<std::vector<runtime::NamedTensor>>
  read(const ValueSet &set) const;

private:
  enum class Kind { Dumps, Arrays, Npz, Npy, Checkpoint };

  std::string place;
  Kind kind = Kind::Checkpoint;
  std::vector<ValueSet> list;
};

} // namespace graphc::diffvalues

#endif
