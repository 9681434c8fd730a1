// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements in which two tensors differ.
#ifndef GRAPHC_RUNTIME_INSPECT_VALUEDIFF_H
#define GRAPHC_RUNTIME_INSPECT_VALUEDIFF_H

#include "runtime/data/HostTensor.h"

#include <cstdint>

namespace graphc::runtime {

/// Differences of two elements a and b that count as none; each is enough.
struct DiffLimits {
  double ulps = 0;
  double absolute = 0; ///< |a - b| <= absolute + relative * |b|
  double relative = 0;
};

/// Outcome of a comparison. The largest differences are over the elements that
/// differ; where only one of two is NaN they are infinite.
struct ValueDiff {
  uint64_t count = 0;     ///< of all elements
  uint64_t differing = 0; ///< of those beyond the limits
  uint64_t first = 0;     ///< of these, the first
  uint64_t worst = 0;     ///< ... and the first of the most distant
  double maxAbsolute = 0;
  double maxRelative = 0; ///< to b
  double maxUlps = 0;     ///< for whole numbers their difference
};

/// REQUIRES: one type, which is not String.
ValueDiff diffValues(const HostTensor &a, const HostTensor &b,
                     const DiffLimits &limits);

} // namespace graphc::runtime

#endif
