// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of numbers that are united step by step.
#ifndef GRAPHC_LIB_PLACEMENT_DISJOINTSETS_H
#define GRAPHC_LIB_PLACEMENT_DISJOINTSETS_H

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace graphc {

/// Thread-safety: none.
class DisjointSets {
public:
  /// 0 to count - 1, each alone.
  explicit DisjointSets(uint32_t count) : parents(count), sizes(count, 1) {
    std::iota(parents.begin(), parents.end(), 0);
  }

  /// The number that stands for the set of this one.
  uint32_t find(uint32_t number) {
    while (parents[number] != number) {
      parents[number] = parents[parents[number]];
      number = parents[number];
    }
    return number;
  }

  /// Unites two sets and returns the representative: that of one of them.
  uint32_t unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b)
      return a;
    if (sizes[a] < sizes[b])
      std::swap(a, b);
    parents[b] = a;
    sizes[a] += sizes[b];
    return a;
  }

private:
  std::vector<uint32_t> parents;
  std::vector<uint32_t> sizes;
};

} // namespace graphc

#endif
