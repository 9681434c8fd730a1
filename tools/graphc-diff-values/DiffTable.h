// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the values of two sources and prints where they part.
#ifndef GRAPHC_TOOLS_GRAPHC_DIFF_VALUES_DIFFTABLE_H
#define GRAPHC_TOOLS_GRAPHC_DIFF_VALUES_DIFFTABLE_H

#include "runtime/inspect/ValueDiff.h"
#include "tools/graphc-diff-values/ValueSource.h"

#include <string>
#include <vector>

namespace graphc::diffvalues {

struct DiffOptions {
  std::string a, b;
  std::vector<std::string> match; ///< patterns; empty: all values
  runtime::DiffLimits limits;
  int64_t rows = 20; ///< of the table; the others are counted
};

/// Prints to stdout the first value that differs, in the order of the steps and
/// in each in that of A, and a table of all. True: something differs.
runtime::StatusOr<bool> diffSources(const DiffOptions &options);

} // namespace graphc::diffvalues

#endif
