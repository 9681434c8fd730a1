// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspect/ValueDiff.h"

#include "runtime/inspect/ValueElements.h"

#include <algorithm>

namespace graphc::runtime {

ValueDiff diffValues(const HostTensor &a, const HostTensor &b,
                     const DiffLimits &limits) {
  ValueDiff diff;
  diff.count = elementCount(a);
  // Equal bytes are equal elements, and most of what is compared.
  if (a.bytes == b.bytes)
    return diff;
  double most = -1;
  for (size_t i = 0; i < diff.count; ++i) {
    double ulps = ulpsBetween(a, b, i);
    double y = elementOf(b, i);
    double by = std::abs(elementOf(a, i) - y);
    double allowed = limits.absolute + limits.relative * std::abs(y);
    // Zero allows nothing: int64 beyond 2^53 may seem equal.
    bool isNear = allowed > 0 && std::isfinite(allowed) && by <= allowed;
    if (ulps <= limits.ulps || isNear)
      continue;
    if (diff.differing++ == 0)
      diff.first = i;
    if (std::isnan(by))
      by = INFINITY;
    if (by > most) {
      most = by;
      diff.worst = i;
    }
    diff.maxAbsolute = std::max(diff.maxAbsolute, by);
    diff.maxRelative =
        std::max(diff.maxRelative,
                 std::isfinite(by) && y != 0 ? by / std::abs(y) : INFINITY);
    diff.maxUlps = std::max(diff.maxUlps, ulps);
  }
  return diff;
}

} // namespace graphc::runtime
